// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "terminal.hpp"
#include "workspace.hpp"

// Looks for a literal text in all files below a folder, within bounds that hold whatever is there.

namespace repl {

/// At most `most` bytes of a file; `whole` where that is all of it.
struct file_text {
    std::string text = {};
    bool whole = true;
    std::string error = {};
};

inline file_text read_text(posix::descriptor const& file, std::size_t most) {
    // A file may say that it is empty or small and hold more, so one byte above the size is asked for.
    auto const size = static_cast<std::size_t>(std::max<off_t>(posix::about(file).st_size, 0));
    std::string room(std::min(size, most) + 1, '\0');
    auto const read = posix::read_at(file, room, 0);
    if (read.error != 0) return {{}, true, std::string{posix::fault("it cannot be read", read.error)}};
    file_text held{std::string{read.bytes.substr(0, most)}, read.bytes.size() <= std::min(size, most)};
    if (held.text.find('\0') != std::string::npos) return {{}, true, "it is binary"};
    return held;
}

class text_search {
public:
    explicit text_search(std::string_view wanted) : wanted_{wanted} {}

    void below(posix::descriptor const& folder, std::string const& path, std::size_t depth = 0) {
        auto const inside = entries_of(folder);
        stopped_ = stopped_ || !inside.whole;
        for (auto const& each : inside.entries) {
            ++entries_;
            if (spent()) return;
            auto const name = path.empty() ? each.name : path + "/" + each.name;
            if (each.kind == entry_kind::folder && depth < deepest) {
                auto const inner = workspace::step(folder, each.name, entry_kind::folder);
                if (inner.error.empty()) below(inner.at, name, depth + 1);
                stopped_ = stopped_ || !inner.error.empty();
            } else if (each.kind == entry_kind::folder) stopped_ = true;
            else if (each.kind == entry_kind::file) in_file(folder, each, name);
        }
    }

    /// A line for each hit, `path:line: text`, and whether all was looked at.
    std::string answer() const {
        auto out = found_.empty() ? "nothing found\n" : found_;
        if (stopped_ || spent())
            out.append("[not everything was looked at: there is too much, or a folder cannot be read]\n");
        return out;
    }

private:
    static constexpr std::size_t deepest = 16;
    static constexpr std::size_t most_entries = 20'000;
    static constexpr std::size_t most_hits = 100;
    static constexpr std::size_t most_of_a_file = 4u << 20;
    static constexpr std::size_t most_bytes = 64u << 20;

    bool spent() const noexcept { return entries_ > most_entries || bytes_ > most_bytes || hits_ > most_hits; }

    void in_file(posix::descriptor const& folder, entry const& each, std::string const& name) {
        auto const opened = workspace::step(folder, each.name, entry_kind::file);
        if (!opened.error.empty()) return;
        auto const held = read_text(opened.at, most_of_a_file);
        bytes_ += held.text.size();
        std::size_t line = 1;
        std::string_view const text{held.text};
        for (std::size_t at = 0, counted = 0; (at = text.find(wanted_, at)) != text.npos;) {
            line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                        text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
            auto const begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
            auto const end = std::min(text.find('\n', at), text.size());
            if (++hits_ > most_hits) return;
            // Of a long line the part around the hit.
            auto const from = at - begin > 80 ? at - 80 : begin;
            found_ +=
                one_line(name) + ":" + std::to_string(line) + ": " + one_line(text.substr(from, end - from)) + "\n";
            at = counted = end;
        }
    }

    std::string_view wanted_;
    std::string found_;
    std::size_t entries_ = 0;
    std::size_t bytes_ = 0;
    std::size_t hits_ = 0;
    bool stopped_ = false;
};

}  // namespace repl
