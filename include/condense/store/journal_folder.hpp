// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <condense/core/store.hpp>
#include <condense/detail/posix_file.hpp>
#include <condense/detail/posix_lines.hpp>
#include <condense/store/content_hash.hpp>
#include <condense/store/journal_file.hpp>
#include <condense/store/journal_line.hpp>

// Journals as lines of JSON, one file a conversation in one folder, which survive the process and a power
// failure: record{.to = condense::journal_folder{"sessions"}}. POSIX.

namespace condense {
inline namespace v1 {

/// A handle: copies share the folder, any thread and any number of processes may use it, also after a
/// fork. The folder is created on first use, readable by its owner alone. Hash: as for stores, of content and
/// of conversation ids; if two conversations share a file, each reads only its own lines.
template <class Hash = content_hash>
class basic_journal_folder {
public:
    static constexpr bool durable = true;
    /// The longest line, which bounds a reader's memory; escaped text is up to six times its size.
    static constexpr std::size_t most_bytes = std::size_t{256} << 20;
    /// Files open at once. Writing to more conversations in turn costs an fsync each time one is closed.
    static constexpr std::size_t most_files = 64;

    explicit basic_journal_folder(std::string path, Hash hash = {})
        : shared_{std::make_shared<state>(std::move(path))}, hash_{std::move(hash)} {}

    /// The name that an entry with this content must have.
    reference name(std::string_view content) const { return hash_(content, 0); }

    /// Appends all of the entry or nothing; durable after `flush`. Costs a copy of the content, and waits while another
    /// process writes. Errors: those of the system, too long, a name that does not match the content, content for a
    /// derived entry.
    store_error append(std::string_view conversation, journal_entry const& entry, std::string_view content) const {
        if (entry.made && !content.empty()) return {"derived entries must be empty"};
        if (!entry.made && entry.name != name(content)) return {"content does not match its hash"};
        auto line =
            content.size() > most_bytes ? std::string{} : detail::journal_line{conversation}.write(entry, content);
        if (line.empty() || line.size() > most_bytes) return {"longer than 256 MiB"};
        return file_of(conversation)->append(shared_->folder, std::move(line));
    }

    /// All appended entries are durable once it returns no error. A failed fsync is final for the conversation: this
    /// handle and its copies append nothing more to it; a new handle may.
    store_error flush(std::string_view conversation) const { return file_of(conversation)->flush(shared_->folder); }

    /// Calls f(entry, content) for each entry appended before; f may append. Does not wait for writers: a line that is
    /// being written counts as torn. Skips lines that are damaged, torn, too long or of another conversation, and
    /// content that does not match its name.
    template <class Function>
    store_error read(std::string_view conversation, Function&& f) const {
        auto const folder = shared_->folder.use(false);
        if (folder.error == ENOENT) return {};
        if (folder.error != 0) return {detail::posix::fault("open folder", folder.error)};
        auto const opened = detail::posix::open_file(*folder.directory, file_name(conversation), O_RDONLY);
        if (opened.error == ENOENT) return {};
        if (opened.error != 0) return {detail::posix::fault("open", opened.error)};
        auto const size = static_cast<std::size_t>(detail::posix::about(opened.file).st_size);
        detail::journal_line const format{conversation};
        std::string buffer;
        auto const error = detail::posix::each_line(opened.file, size, most_bytes, [&](std::string_view line) {
            auto const record = format.read(line, buffer);
            if (record && (record->entry.made || record->entry.name == name(record->content)))
                f(record->entry, record->content);
        });
        return error == 0 ? store_error{} : store_error{detail::posix::fault("read", error)};
    }

private:
    using file = std::shared_ptr<detail::journal_file>;

    struct state {
        explicit state(std::string path) : folder{std::move(path)} {}

        detail::posix::folder folder;
        std::mutex guard;
        std::map<std::string, file> files;
        ::pid_t owner = ::getpid();
    };

    /// The hash alone, so that no byte of an id gets into a path.
    std::string file_name(std::string_view conversation) const { return hash_(conversation, 0).text() + ".jsonl"; }

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
        return shared_->files[name] = std::make_shared<detail::journal_file>(name);
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
