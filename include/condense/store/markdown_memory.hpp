// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include <condense/core/quantity.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/ascii.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/date_text.hpp>
#include <condense/detail/posix_file.hpp>
#include <condense/detail/posix_publish.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/store/journal_file.hpp>

// Facts that outlive conversations, in a Markdown file that people read and edit: extract_facts{.to =
// condense::markdown_memory{"notes/memory.md"}}. POSIX.

namespace condense {
inline namespace v1 {

struct markdown_memory_options {
    bytes most_bytes = {std::uint64_t{1} << 20};  ///< of the file, which also bounds the memory that a call takes
    chars longest = {400};  ///< of one fact; the rest of it is left out
    std::uint64_t (*seconds)() noexcept = detail::calendar_seconds;  ///< since 1970 (UTC), for the headings
    bool allow_open_folder = false;  ///< also a folder in which everybody may replace the files of others
};

/// What a memory holds, or why that could not be read.
struct [[nodiscard]] remembered_facts {
    std::vector<std::string> facts = {};  ///< in the order of the file
    store_error error = {};
};

namespace detail {

constexpr bool is_punctuation(char byte) noexcept {
    return byte > ' ' && byte < 0x7F && !is_digit(byte) && !is_letter(byte);
}

/// The fact as one bullet of Markdown, whatever it holds: on one line, no heading, list, link, code or HTML in it.
/// Empty where nothing is left to say.
inline std::string bullet_of(std::string_view fact, chars longest) {
    auto const text = printable(fact, longest.count);
    auto const begin = text.find_first_not_of(' ');
    if (begin == std::string::npos) return {};
    auto const end = text.find_last_not_of(' ') + 1;
    auto const digits = text.find_first_not_of("0123456789", begin);
    std::string out = "- ";
    for (auto place = begin; place < end; ++place) {
        bool const opens = place == begin || place == digits;  // of a heading, a list, a quotation, a table
        if (is_punctuation(text[place]) && (opens || std::string_view{"\\<[`"}.find(text[place]) != std::string::npos))
            out.push_back('\\');
        out.push_back(text[place]);
    }
    return out;
}
/// The fact of a line of the file; empty where it is no bullet.
inline std::string fact_of(std::string_view line, chars longest) {
    if (!line.starts_with("- ")) return {};
    line.remove_prefix(2);
    std::string text;
    for (std::size_t place = 0; place < line.size(); ++place) {
        if (line[place] == '\\' && place + 1 < line.size() && is_punctuation(line[place + 1])) ++place;
        text.push_back(line[place]);
    }
    return printable(text, longest.count);
}

/// Calls f(line) for each line of the text, without its break, which some editors write as "\r\n".
template <class Function>
void each_line_of(std::string_view text, Function&& f) {
    while (!text.empty()) {
        auto const line = take_line(text);
        f(line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0)));
    }
}

}  // namespace detail

/// A handle: copies share the file, any thread and any number of processes may use it. File and folder are created on
/// first use, readable by their owner alone; a link in place of the file is an error. What people write into the file
/// stays; an editor that saves an older version of it takes out what was added meanwhile.
class markdown_memory {
public:
    static constexpr bool durable = true;

    explicit markdown_memory(std::string path, markdown_memory_options options = {})
        : shared_{std::make_shared<state>(std::move(path), options)} {}

    /// Adds those facts that the file does not hold, one bullet each, under a heading with the date: all of them or
    /// none, on the medium once it returns no error. Costs reading and writing the file, and waits while another
    /// process does. Errors: those of the system; full, where the file would be longer than `most_bytes`. A failed
    /// fsync of the folder is final for the handle.
    store_error add(std::vector<std::string> const& facts) const {
        std::map<std::string, bool, std::less<>> present;  // by bullet; true if the file holds it
        std::vector<std::string const*> order;
        for (auto const& fact : facts)
            if (auto bullet = detail::bullet_of(fact, shared_->options.longest); !bullet.empty())
                if (auto const [entry, is_new] = present.try_emplace(std::move(bullet), false); is_new)
                    order.push_back(&entry->first);
        if (order.empty()) return {};
        std::lock_guard const lock{shared_->guard};
        if (shared_->sync_error) return shared_->sync_error;
        auto const [folder, folder_error] = shared_->folder.use(true);
        if (folder_error != 0) return {detail::posix::fault("open folder", folder_error)};
        if (!std::exchange(shared_->cleaned_up, true)) detail::posix::clear_away(*folder);
        for (;;) {
            auto const opened = detail::posix::open_file(*folder, shared_->name, O_RDWR | O_CREAT);
            if (opened.error != 0) return {detail::posix::fault("open", opened.error)};
            detail::file_lock const process_lock{opened.file};
            if (process_lock.error() != 0) return {detail::posix::fault("flock", process_lock.error())};
            // While this process waited, another may have put a new file in the place of this one.
            if (!detail::posix::is_named(opened.file, *folder, shared_->name)) continue;
            return extend(*folder, opened.file, present, order);
        }
    }

    /// All bullets of the file, whoever wrote them; none where there is no file. Costs reading it.
    remembered_facts facts() const {
        auto const [folder, folder_error] = shared_->folder.use(false);
        if (folder_error == ENOENT) return {};
        if (folder_error != 0) return {.error = {detail::posix::fault("open folder", folder_error)}};
        auto const opened = detail::posix::open_file(*folder, shared_->name, O_RDONLY);
        if (opened.error == ENOENT) return {};
        if (opened.error != 0) return {.error = {detail::posix::fault("open", opened.error)}};
        remembered_facts result;
        std::string content;
        result.error = read(opened.file, content);
        if (result.error) return result;
        detail::each_line_of(content, [&](std::string_view line) {
            if (auto fact = detail::fact_of(line, shared_->options.longest); !fact.empty())
                result.facts.push_back(std::move(fact));
        });
        return result;
    }

private:
    struct state {
        state(std::string const& path, markdown_memory_options chosen)
            : options{chosen}, name{path.substr(path.find_last_of('/') + 1)},
              // A path with a NUL is passed on as a whole, as opening the folder refuses it.
              folder{path.find('\0') != std::string::npos ? path
                     : name.size() == path.size()         ? "."
                                                          : path.substr(0, path.size() - name.size()),
                     detail::posix::rule_unless(chosen.allow_open_folder, detail::posix::folder_rule::shared)} {}

        markdown_memory_options options;
        std::string name;  ///< of the file in the folder
        detail::posix::folder folder;
        std::mutex guard;
        store_error sync_error = {};
        bool cleaned_up = false;
    };

    store_error read(detail::posix::descriptor const& file, std::string& content) const {
        auto const size = static_cast<std::uint64_t>(detail::posix::about(file).st_size);
        if (size > shared_->options.most_bytes.count) return {"full: the file is longer than most_bytes"};
        content.resize(detail::as_size(size));
        auto const result = detail::posix::read_at(file, content, 0);
        if (result.error != 0) return {detail::posix::fault("read", result.error)};
        content.resize(result.bytes.size());
        return {};
    }

    /// Puts a file with the new facts in the place of the locked one, so that readers and a crash see one of the two.
    store_error extend(detail::posix::descriptor const& folder, detail::posix::descriptor const& file,
                       std::map<std::string, bool, std::less<>>& present,
                       std::vector<std::string const*> const& order) const {
        namespace posix = detail::posix;
        std::string content;
        if (auto const problem = read(file, content)) return problem;
        std::string heading = "## ";
        detail::append_date(heading, shared_->options.seconds());
        heading.resize(heading.find(' ', 3));
        bool is_today = false;
        detail::each_line_of(content, [&](std::string_view line) {
            if (line.starts_with("## ")) is_today = line == heading;
            if (auto const entry = present.find(line); entry != present.end()) entry->second = true;
        });
        if (!content.empty() && content.back() != '\n') content.push_back('\n');
        bool changed = false;
        for (auto const* const bullet : order) {
            if (present.find(*bullet)->second) continue;
            if (!changed && !is_today) content.append(content.empty() ? "" : "\n").append(heading).append("\n\n");
            content.append(*bullet).push_back('\n');
            changed = true;
        }
        if (changed) {
            if (content.size() > shared_->options.most_bytes.count)
                return {"full: the file would be longer than most_bytes"};
            posix::temporary next{folder};
            if (next.error() != 0) return {posix::fault("create", next.error())};
            auto const mode = posix::about(file).st_mode & 0777;  // as its owner has set it
            if (auto const error = posix::error_of([&] { return ::fchmod(next.file().number(), mode); }))
                return {posix::fault("fchmod", error)};
            if (auto const error = posix::write_all(next.file(), content)) return {posix::fault("write", error)};
            if (auto const error = posix::sync(next.file())) return {posix::fault("fsync", error)};
            if (auto const error = next.replace(shared_->name)) return {posix::fault("rename", error)};
        }
        // Also where another process wrote the facts, which may have died before its folder was on the medium.
        if (auto const error = posix::sync(folder)) shared_->sync_error = {posix::fault("fsync", error)};
        return shared_->sync_error;
    }

    std::shared_ptr<state> shared_;
};

}  // namespace v1
}  // namespace condense
