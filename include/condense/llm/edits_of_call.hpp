// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/file_of_call.hpp>
#include <condense/core/part.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/json_strings.hpp>
#include <condense/detail/text.hpp>

// The edits of files that a tool call makes: each_edit(call, members, [](file_edit const& edit) { … }).

namespace condense {
inline namespace v1 {

/// Members of a call's arguments that hold a new text, and the old one that it stands for: pairs, in which an empty
/// old name stands for all of a file.
using edit_members = std::array<std::pair<std::string_view, std::string_view>, 10>;
inline constexpr edit_members usual_edit_members = {{{"new_string", "old_string"},
                                                     {"new_str", "old_str"},
                                                     {"new_text", "old_text"},
                                                     {"newString", "oldString"},
                                                     {"newStr", "oldStr"},
                                                     {"newText", "oldText"},
                                                     {"replace", "search"},
                                                     {"file_text", ""},
                                                     {"content", ""},
                                                     {"", ""}}};

/// A text that is written into a file in the place of another.
struct file_edit {
    std::string_view file = {};  ///< empty where the call names none
    std::optional<std::string_view> old = {};  ///< empty: it is inserted; none: all of the file is replaced
    std::optional<std::string_view> text = {};  ///< none: not known, as of `sed -i`
};

namespace detail {

using edit_sink = callable_ref<void(file_edit const&)>;

/// Each hunk of a patch as `apply_patch` takes them is an edit, with the lines around it.
inline void each_edit_of_patch(std::string_view text, edit_sink f) {
    std::string_view file;
    std::string old, now;
    bool is_new = false;
    auto const end = [&] {
        if (old.empty() && now.empty()) return;
        f({file, is_new ? std::nullopt : std::optional{std::string_view{old}}, now});
        old.clear();
        now.clear();
    };
    while (!text.empty()) {
        auto const line = take_line(text);
        if (line.starts_with("***") || line.starts_with("@@")) {
            end();
            for (std::string_view const label : {"*** Update File: ", "*** Add File: "})
                if (line.starts_with(label)) {
                    file = line.substr(label.size());
                    is_new = label == "*** Add File: ";
                }
            continue;
        }
        auto const rest = line.substr((std::min)(line.size(), std::size_t{1}));
        if (!line.starts_with('-')) now.append(rest).push_back('\n');
        if (!line.starts_with('+')) old.append(rest).push_back('\n');
    }
    end();
}
/// The word of a shell at the front of a line, without its quotes, which it leaves.
[[gnu::noinline]] inline std::string_view take_word(std::string_view& line) noexcept {
    line.remove_prefix((std::min)(line.find_first_not_of(" \t"), line.size()));
    bool const quoted = line.starts_with('\'') || line.starts_with('"');
    auto const begin = quoted ? 1u : 0u;
    auto const end = (std::min)(quoted ? line.find(line.front(), 1) : line.find_first_of(" \t;&|<>"), line.size());
    auto const word = line.substr(begin, end - begin);
    line.remove_prefix((std::min)(end + begin, line.size()));
    return word;
}
/// sed -i 's/OLD/NEW/' FILE: what the text becomes is not known, as OLD is a pattern. Where it is not plain, or where
/// lines are told by their numbers, anything of the file may have changed.
inline void edit_of_sed(std::string_view line, edit_sink f) {
    auto script = take_word(line);
    while (script.starts_with('-')) script = take_word(line);
    auto const file = take_word(line);
    if (file.empty()) return;
    script.remove_prefix((std::min)(script.find_first_not_of("0123456789,$ "), script.size()));
    auto const mark = script.starts_with('s') && script.size() > 1 ? script[1] : '/';
    script.remove_prefix((std::min)(script.find(mark), script.size()));
    std::string old;
    bool is_plain = !script.empty();
    for (std::size_t at = 1; is_plain && at < script.size() && script[at] != mark; ++at) {
        auto const next = at + 1 < script.size() ? script[at + 1] : '\0';
        if (script[at] == '\\' && std::string_view{".[]*/^$\"'&|"}.find(next) != std::string_view::npos) ++at;
        else is_plain = std::string_view{"\\*[]^$"}.find(script[at]) == std::string_view::npos;
        if (is_plain) old.push_back(script[at]);
    }
    if (is_plain && !old.empty()) f({file, std::string_view{old}, std::nullopt});
    else f({file, std::nullopt, std::nullopt});
}
/// Documents that a shell writes into files, cat > FILE <<'END' up to a line END, and the edits of sed.
inline void each_edit_of_script(std::string_view text, edit_sink f) {
    while (!text.empty()) {
        auto const line = take_line(text);
        auto const sed = line.find("sed -i");
        if (sed != line.npos) edit_of_sed(line.substr(sed + 6), f);
        auto const mark = line.find("<<");
        auto const arrow = line.find('>');
        if (mark == line.npos || arrow == line.npos) continue;
        auto behind_mark = line.substr((std::min)(line.find_first_not_of("<- \\", mark), line.size()));
        auto const ending = take_word(behind_mark);
        bool const appends = line.substr(arrow).starts_with(">>");
        auto behind_arrow = line.substr(arrow + (appends ? 2 : 1));
        auto const file = take_word(behind_arrow);
        std::string document;
        bool is_whole = false;
        while (!text.empty() && !is_whole) {
            auto const next = take_line(text);
            is_whole = next == ending;
            if (!is_whole) document.append(next).push_back('\n');
        }
        if (is_whole) f({file, appends ? std::optional{std::string_view{}} : std::nullopt, document});
    }
}

/// Calls f(file_edit) for each edit of a call, in order: by the members of its arguments, by patches as `apply_patch`
/// takes them, and by here-documents and `sed -i` of a shell.
[[gnu::noinline]] inline void each_edit(part_view const& call, edit_members const& members, edit_sink f) {
    std::string file, text, old;
    std::string_view partner;
    bool has_text = false, has_old = false;
    auto const end = [&] {
        if ((has_text || has_old) && file.empty()) file = file_of_call{}(call).value_or("");
        // Without a file `content` may be of a message, and `search` of a search.
        if (has_text && !partner.empty()) f({file, std::string_view{old}, text});
        else if (has_text && !file.empty()) f({file, std::nullopt, text});
        else if (has_old && !file.empty() && partner != "search") f({file, std::string_view{old}, std::nullopt});
        has_text = has_old = false;
        text.clear();
        old.clear();
    };
    json::each_string(call.text, [&](json::spelt_string const& string) {
        auto const value = [&] {
            return json::string_value(call.text.substr(string.begin - 1, string.text.size() + 2));
        };
        if (string.text.find("*** Begin Patch") != string.text.npos) return each_edit_of_patch(value(), f);
        for (auto const& [now, before] : members) {
            if (string.key.empty() || (string.key != now && string.key != before)) continue;
            bool const is_text = string.key == now;
            if (before != partner || (is_text ? has_text : has_old)) end();  // of another edit
            partner = before;
            (is_text ? has_text : has_old) = true;
            (is_text ? text : old) = value();
            return;
        }
        if (string.text.find("<<") != string.text.npos || string.text.find("sed -i") != string.text.npos)
            each_edit_of_script(value(), f);
    });
    end();
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
