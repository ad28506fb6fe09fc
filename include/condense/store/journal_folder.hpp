// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <condense/core/quantity.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/posix_file.hpp>
#include <condense/detail/posix_lines.hpp>
#include <condense/detail/posix_publish.hpp>
#include <condense/detail/sort.hpp>
#include <condense/store/content_hash.hpp>
#include <condense/store/journal_file.hpp>
#include <condense/store/journal_line.hpp>

// Journals as lines of JSON, one file a conversation in one folder, or several for a long one, which survive the
// process and a power failure: record{.to = condense::journal_folder{"sessions"}}. POSIX.

namespace condense {
inline namespace v1 {

/// How a journal_folder keeps its files. Handles on one folder should agree.
struct journal_folder_options {
    /// A conversation's file of that size gets no more lines: `<hash>.jsonl` is followed by `<hash>.1.jsonl`, and so
    /// on.
    bytes most_file_bytes = {std::uint64_t{64} << 20};
    /// Also an existing folder that is reached by a link, belongs to another user, or to which others may write.
    bool allow_open_folder = false;
};

/// A line of a journal that cannot be read: torn, changed or too long.
struct journal_damage {
    std::string file = {};  ///< its name in the folder
    std::uint64_t offset = 0;  ///< of the line's first byte
    std::uint64_t bytes = 0;  ///< without the line break
};

/// A handle: copies share the folder, any thread and any number of processes may use it, also after a
/// fork. The folder is created on first use, readable by its owner alone; an existing one must be as the options say,
/// and its files have no other names. Hash: as for stores, of content and of conversation ids; if two conversations
/// share a file, each reads only its own lines.
template <class Hash = content_hash>
class basic_journal_folder {
public:
    static constexpr bool durable = true;
    /// The longest line, which bounds a reader's memory; escaped text is up to six times its size.
    static constexpr std::size_t most_bytes = std::size_t{256} << 20;
    /// Files open at once. Writing to more conversations in turn costs an fsync each time one is closed.
    static constexpr std::size_t most_files = 64;

    explicit basic_journal_folder(std::string path, Hash hash = {})
        : basic_journal_folder{std::move(path), journal_folder_options{}, std::move(hash)} {}
    basic_journal_folder(std::string path, journal_folder_options options, Hash hash = {})
        : shared_{std::make_shared<state>(std::move(path), options)}, hash_{std::move(hash)} {}

    /// The name that an entry with this content must have.
    reference name(std::string_view content) const { return hash_(content, 0); }

    /// Appends all of the entry or nothing; durable after `flush`. Costs a copy of the content and of the
    /// conversation's id, which stands in each line, and waits while another process writes. Errors: those of the
    /// system, too long, a name that does not match the content, content for a derived entry.
    store_error append(std::string_view conversation, journal_entry const& entry, std::string_view content) const {
        if (entry.is_derived && !content.empty()) return {"derived entries must be empty"};
        if (!entry.is_derived && entry.name != name(content)) return {"content does not match its hash"};
        auto line_entry = entry;
        if (line_entry.time == 0) line_entry.time = detail::calendar_seconds();
        auto line =
            content.size() > most_bytes ? std::string{} : detail::journal_line{conversation}.write(line_entry, content);
        if (line.empty() || line.size() > most_bytes) return {"longer than 256 MiB"};
        return file_of(conversation)->append(shared_->folder, std::move(line));
    }

    /// All appended entries are durable once it returns no error. A failed fsync is final for the conversation: this
    /// handle and its copies append nothing more to it; a new handle may.
    store_error flush(std::string_view conversation) const { return file_of(conversation)->flush(shared_->folder); }

    /// Calls f(entry, content) for each entry appended before; f may append. Does not wait for writers: a line that is
    /// being written counts as torn. Skips lines that are damaged, torn, too long or of another conversation, and
    /// content that does not match its name; `damage` tells of them.
    store_error read(std::string_view conversation, detail::entry_sink f) const {
        detail::journal_line const format{conversation};
        std::string buffer;
        return each_line(file_name(conversation), false, [&](std::string_view line, auto const&) {
            if (auto const record = intact_record(format, line, buffer)) f(record->entry, record->content);
        });
    }

    /// Calls f(journal_damage const&) for each line that `read` leaves out, in order; empty lines and whole ones of
    /// another conversation are none. Costs a `read`, and waits for a writer first, so that its line is none either.
    /// What is damaged stays in its place, also the torn end of a writer that was killed, so that the offsets hold and
    /// no second kill can lose what is being moved away.
    store_error damage(std::string_view conversation, detail::callable_ref<void(journal_damage const&)> f) const {
        detail::journal_line const format{conversation};
        std::string buffer;
        return each_line(file_name(conversation), true, [&](std::string_view line, journal_damage const& place) {
            if (place.bytes == 0 || intact_record(format, line, buffer)) return;
            auto const other = detail::journal_line::conversation_of(line);
            if (!other || !intact_record(detail::journal_line{*other}, line, buffer)) f(place);
        });
    }

    /// Calls f(journal_conversation const&) for each conversation, the one with the latest append first; in one second,
    /// in any order. Counts the lines that `read` gives. Costs reading all files once, those with lines that name no
    /// conversation twice, and memory for the ids. A conversation whose lines all have the earlier format, without ids,
    /// is left out unless its id is empty. After an error it goes on with the other files.
    store_error each_conversation(detail::conversation_sink f) const {
        auto const folder = shared_->folder.use(false);
        if (folder.error == ENOENT) return {};
        if (folder.error != 0) return {detail::posix::fault("open folder", folder.error)};
        std::set<std::string> names;  // of the first files
        auto const error = detail::posix::each_file(*folder.directory, [&](std::string_view name) {
            if (name.ends_with(extension) && reference::of(name.substr(0, 24)))
                names.insert(std::string{name.substr(0, 24)}.append(extension));
        });
        store_error problem;
        if (error != 0) problem = {detail::posix::fault("list folder", error)};
        std::vector<journal_conversation> all;
        for (auto const& name : names)
            if (auto const failure = count_lines(name, all); failure && !problem) problem = failure;
        detail::sort(all, [](auto const& left, auto const& right) { return left.time > right.time; });
        for (auto const& each : all) f(each);
        return problem;
    }

private:
    using file = std::shared_ptr<detail::journal_file>;
    static constexpr std::string_view extension = ".jsonl";

    struct state {
        state(std::string path, journal_folder_options chosen)
            : folder{std::move(path),
                     detail::posix::rule_unless(chosen.allow_open_folder, detail::posix::folder_rule::own)},
              options{chosen} {}

        detail::posix::folder folder;
        journal_folder_options options;
        std::mutex guard;
        std::map<std::string, file> files;
        ::pid_t owner = ::getpid();
    };

    /// The hash alone, so that no byte of an id gets into a path.
    std::string file_name(std::string_view conversation) const {
        return hash_(conversation, 0).text().append(extension);
    }

    /// The file of a conversation, which its first use opens; closes idle ones beyond `most_files`.
    file file_of(std::string_view conversation) const {
        auto const name = file_name(conversation);
        std::lock_guard const lock{shared_->guard};
        // A lock on a file is shared with the parent through the descriptor: a child opens its own.
        if (auto const parent = std::exchange(shared_->owner, ::getpid()); parent != shared_->owner)
            shared_->files.clear();
        auto const position = shared_->files.find(name);
        if (position != shared_->files.end()) return position->second;
        if (shared_->files.size() >= most_files) close_idle();
        return shared_->files[name] =
                   std::make_shared<detail::journal_file>(name, shared_->options.most_file_bytes.count);
    }

    /// The line's entry, if it is undamaged and of that conversation.
    std::optional<detail::journal_line::record> intact_record(detail::journal_line const& format, std::string_view line,
                                                              std::string& buffer) const {
        auto const record = format.read(line, buffer);
        return record && (record->entry.is_derived || record->entry.name == name(record->content)) ? record
                                                                                                   : std::nullopt;
    }

    /// Calls f(line, journal_damage const& place) for each line that the conversation's files have at the beginning;
    /// one that is too long is empty. May wait for a writer before it looks.
    store_error each_line(std::string const& first, bool waits,
                          detail::callable_ref<void(std::string_view line, journal_damage const& place)> f) const {
        auto const folder = shared_->folder.use(false);
        if (folder.error == ENOENT) return {};
        if (folder.error != 0) return {detail::posix::fault("open folder", folder.error)};
        std::vector<std::uint64_t> numbers;
        if (auto const error = detail::find_journal_files(*folder.directory, first, numbers))
            return {detail::posix::fault("open", error)};
        auto const open = [&](std::uint64_t number) {
            return detail::posix::open_file(*folder.directory, detail::journal_file_name(first, number), O_RDONLY);
        };
        std::size_t end = 0;  // of the newest file, which alone may grow
        if (!numbers.empty()) {
            auto const newest = open(numbers.back());
            std::optional<detail::file_lock> writer;
            if (waits && newest.file) writer.emplace(newest.file);
            end = static_cast<std::size_t>(detail::posix::about(newest.file).st_size);
        }
        for (auto const number : numbers) {
            auto const opened = open(number);
            if (opened.error == ENOENT) continue;
            if (opened.error != 0) return {detail::posix::fault("open", opened.error)};
            auto const size = static_cast<std::size_t>(detail::posix::about(opened.file).st_size);
            journal_damage place{detail::journal_file_name(first, number)};
            auto const error =
                detail::posix::each_line(opened.file, number == numbers.back() ? end : size, most_bytes,
                                         [&](std::string_view line, std::size_t offset, std::size_t length) {
                                             place.offset = offset;
                                             place.bytes = length;
                                             f(line, std::as_const(place));
                                         });
            if (error != 0) return {detail::posix::fault("read", error)};
        }
        return {};
    }

    /// Appends the conversations of these files, with the number of their lines and the time of the latest.
    store_error count_lines(std::string const& first, std::vector<journal_conversation>& all) const {
        std::map<std::string, journal_conversation> here;  // several where ids share a file
        auto const count = [](journal_conversation& of, journal_entry const& entry) {
            ++of.entries;
            of.time = (std::max)(of.time, entry.time);
        };
        std::string id;
        detail::journal_line format{id};
        bool belongs = file_name(id) == first;  // else the lines are foreign
        bool unnamed = false;  // some may be lines of the earlier format, of an id that another line names
        std::string buffer;
        auto problem = each_line(first, false, [&](std::string_view line, auto const&) {
            auto record = intact_record(format, line, buffer);
            if (!record) {
                auto other = detail::journal_line::conversation_of(line);
                unnamed = unnamed || !other;
                if (!other) return;
                id = *std::move(other);
                format = detail::journal_line{id};
                belongs = file_name(id) == first;
                record = intact_record(format, line, buffer);
            }
            if (record && belongs) count(here[id], record->entry);
        });
        for (auto& [name, each] : here) {
            if (unnamed) {
                each = {};
                auto const failure = read(name, [&](auto const& entry, std::string_view) { count(each, entry); });
                if (failure && !problem) problem = failure;
            }
            each.id = name;
            all.push_back(std::move(each));
        }
        return problem;
    }

    /// Closes files that no other thread is using. One whose fsync has failed stays, to remember that.
    void close_idle() const {
        std::erase_if(shared_->files,
                      [](auto& entry) { return entry.second.use_count() == 1 && entry.second->close(); });
    }

    std::shared_ptr<state> shared_;
    Hash hash_;
};

using journal_folder = basic_journal_folder<>;

}  // namespace v1
}  // namespace condense
