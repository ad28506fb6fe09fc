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
#include <condense/detail/json_scan.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/words.hpp>
#include <condense/llm/record_line.hpp>

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
    bool writes = true;  ///< false where the file is removed, moved away or checked out
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
            if (line.starts_with("*** End Patch")) return;
            if (line.starts_with("*** Move to: ")) f({file, std::nullopt, std::nullopt});
            for (std::string_view const label : {"*** Update File: ", "*** Add File: ", "*** Delete File: "})
                if (line.starts_with(label)) {
                    file = line.substr(label.size());
                    is_new = label == "*** Add File: ";
                    if (label == "*** Delete File: ") f({file, std::nullopt, std::string_view{}, false});
                }
            continue;
        }
        auto const rest = line.substr((std::min)(line.size(), std::size_t{1}));
        if (!line.starts_with('-')) now.append(rest).push_back('\n');
        if (!line.starts_with('+')) old.append(rest).push_back('\n');
    }
    end();
}

/// The word of a shell at the front of a line, without its quotes, which it leaves; empty where a command ends.
inline std::string_view take_word(std::string_view& line) noexcept {
    line.remove_prefix((std::min)(line.find_first_not_of(" \t"), line.size()));
    bool const quoted = line.starts_with('\'') || line.starts_with('"');
    auto const begin = quoted ? 1u : 0u;
    auto const end = (std::min)(quoted ? line.find(line.front(), 1) : line.find_first_of(" \t;&|<>"), line.size());
    auto const word = line.substr(begin, end - begin);
    line.remove_prefix((std::min)(end + begin, line.size()));
    return word;
}
/// True for the name of a file as it stands in a script, without variables, patterns and parts in quotes.
constexpr bool is_file_word(std::string_view word) noexcept {
    return !word.empty() && word.find_first_of("$*?'\"\\`(){}") == word.npos && !word.starts_with("/dev/");
}

/// The text that a command of sed replaces; nothing where that is a pattern, or where it does something else.
inline std::optional<std::string> replaced_by_sed(std::string_view script, bool extended) {
    script.remove_prefix((std::min)(script.find_first_not_of("0123456789,$ "), script.size()));
    if (script.size() < 2 || script.front() != 's') return {};
    auto const mark = script[1];
    std::string old;
    std::size_t at = 2;
    for (; at < script.size() && script[at] != mark; ++at) {
        auto const next = at + 1 < script.size() ? script[at + 1] : '\0';
        if (script[at] == '\\' && std::string_view{".[]*/^$\"'&|"}.find(next) != std::string_view::npos) ++at;
        else if (std::string_view{"\\*[]^$"}.find(script[at]) != std::string_view::npos) return {};
        else if (extended && std::string_view{"+?|(){}"}.find(script[at]) != std::string_view::npos) return {};
        old.push_back(script[at]);
    }
    auto const end = script.find(mark, at + 1);
    bool const is_alone = end != script.npos && script.find_first_not_of("gIi0123456789p", end + 1) == script.npos;
    if (old.empty() || !is_alone) return {};
    return old;
}
/// sed -i 's/OLD/NEW/' FILE ...: what the text becomes is not known. Where OLD is a pattern, or lines are told by their
/// numbers, anything of the file may have changed.
inline void each_edit_of_sed(std::string_view line, edit_sink f) {
    std::optional<std::string_view> script;
    bool in_place = false, extended = false, several = false;
    for (;;) {
        line.remove_prefix((std::min)(line.find_first_not_of(" \t"), line.size()));
        if (line.empty() || std::string_view{";&|<>"}.find(line.front()) != std::string_view::npos) return;
        bool const quoted = line.front() == '\'' || line.front() == '"';
        auto word = take_word(line);
        if (!quoted && word.starts_with('-')) {
            in_place = in_place || word.starts_with("--in-place") || word.substr(0, 3).find('i') != word.npos;
            extended = extended || word.find_first_of("Er") < 3;
            if (word != "-e") continue;
            several = several || script.has_value();
            script = take_word(line);
        } else if (!script) {
            if (!word.empty()) script = word;  // an empty one is the suffix behind -i
        } else if (in_place && is_file_word(word)) {
            auto const old = several ? std::nullopt : replaced_by_sed(*script, extended);
            f({word, old ? std::optional{std::string_view{*old}} : std::nullopt, std::nullopt});
        }
    }
}
/// The file into which `cat` or `tee` writes a document: cat > FILE, cat >> FILE, tee [-a] FILE. Empty for none.
inline std::string_view file_of_document(std::string_view line, bool& appends) noexcept {
    auto const word_behind = [&](std::size_t at) {
        auto rest = line.substr((std::min)(at, line.size()));
        return take_word(rest);
    };
    auto const is_word = [&](std::size_t at) {
        return at != line.npos && (at == 0 || line[at - 1] == ' ' || line[at - 1] == ';' || line[at - 1] == '&');
    };
    if (auto const tee = line.find("tee "); is_word(tee)) {
        auto const first = word_behind(tee + 4);
        appends = first == "-a";
        return appends ? word_behind(line.find("-a", tee) + 2) : first;
    }
    if (!is_word(line.find("cat "))) return {};
    for (auto arrow = line.find('>'); arrow != line.npos; arrow = line.find('>', arrow + 1)) {
        if (arrow != 0 && std::string_view{"12&->"}.find(line[arrow - 1]) != std::string_view::npos) continue;
        appends = line.substr(arrow).starts_with(">>");
        return word_behind(arrow + (appends ? 2 : 1));
    }
    return {};
}
/// Takes a command off the front of a line. `quote` is the one that is open there, also from an earlier line; 0 for
/// none. A comment ends the line.
inline std::string_view take_command(std::string_view& line, char& quote) noexcept {
    std::size_t at = 0;
    for (; at < line.size(); ++at) {
        auto const byte = line[at];
        if (quote != 0) {
            if (byte == quote) quote = 0;
            else if (byte == '\\' && quote == '"') ++at;
        } else if (byte == '\'' || byte == '"') quote = byte;
        else if (byte == '\\') ++at;
        else if (byte == '#' && (at == 0 || line[at - 1] == ' ')) {
            line = line.substr(0, at);
            break;
        } else if (std::string_view{";&|()"}.find(byte) != std::string_view::npos) break;
    }
    auto const command = line.substr(0, (std::min)(at, line.size()));
    line.remove_prefix((std::min)(at + 1, line.size()));
    return command;
}
/// Files behind `rm`, which are gone, behind `mv`, which are gone but for the last, and behind `git checkout` and
/// `git restore`, which are changed, it is not known how.
inline void each_file_of(std::string_view words, std::string_view tool, edit_sink f) {
    std::string_view file;
    bool only_files = tool != "checkout";  // it takes the names of branches, too
    auto const add = [&](bool is_gone) {
        bool const is_file = only_files || file.substr(file.rfind('/') + 1).find('.', 1) != file.npos;
        if (file.empty() || !is_file) return;
        f({file, std::nullopt, is_gone ? std::optional{std::string_view{}} : std::nullopt, !is_gone && tool == "mv"});
    };
    for (auto word = take_word(words); !word.empty(); word = take_word(words)) {
        bool const is_stream = words.starts_with('>') && word.size() == 1 && is_digit(word[0]);  // 2> of a redirection
        if (word == "-t" || word == "-b" || word == "-B") return;
        if (word == "--") {
            only_files = true;
            file = {};
        } else if (!word.starts_with('-') && !is_stream && is_file_word(word)) {
            add(tool == "rm" || tool == "mv");
            file = word;
        }
    }
    add(tool == "rm");
}
inline void each_edit_of_command(std::string_view command, edit_sink f) {
    auto tool = take_word(command);
    if (tool == "sudo") tool = take_word(command);
    if (tool == "git") tool = take_word(command);
    else if (tool == "checkout" || tool == "restore") return;
    if (tool == "sed") each_edit_of_sed(command, f);
    for (std::string_view const each : {"mv", "rm", "checkout", "restore"})
        if (tool == each) each_file_of(command, tool, f);
}
/// Documents that a shell writes into files, cat > FILE <<'END' up to a line END, the edits of sed, and files that are
/// moved, removed and checked out.
inline void each_edit_of_script(std::string_view text, edit_sink f) {
    char quote = 0;
    int unended = 0;
    constexpr int unended_most = 16;  // documents without an end, each of which costs a look at the rest
    while (!text.empty()) {
        auto const line = take_line(text);
        for (auto commands = line; !commands.empty();) {
            bool const is_quoted = quote != 0;
            auto const command = take_command(commands, quote);
            if (!is_quoted) each_edit_of_command(command, f);
        }
        auto const mark = line.find("<<");
        if (mark == line.npos || line.substr(mark).starts_with("<<<")) continue;
        bool appends = false;
        auto const file = file_of_document(line, appends);
        auto behind_mark = line.substr((std::min)(line.find_first_not_of("<- \\", mark), line.size()));
        auto const ending = take_word(behind_mark);
        if (ending.empty() || unended == unended_most) continue;
        bool const indented = line.substr(mark).starts_with("<<-");
        std::string document;
        ++unended;
        for (auto rest = text; !rest.empty();) {
            auto next = take_line(rest);
            if (indented) next.remove_prefix((std::min)(next.find_first_not_of('\t'), next.size()));
            if (next == ending) {
                --unended;
                quote = 0;
                if (is_file_word(file)) f({file, appends ? std::optional{std::string_view{}} : std::nullopt, document});
                text = rest;
                break;
            }
            document.append(next).push_back('\n');
        }
    }
}
/// A script without the folder in which it runs: cd FOLDER && ...
inline std::string_view without_folder(std::string_view script) noexcept {
    constexpr std::string_view joint = " && ";
    auto const end = script.find(joint);
    if (script.starts_with("cd ") && end < script.find('\n')) script.remove_prefix(end + joint.size());
    return script;
}
/// The file that a script only shows: cat, head, tail, nl or sed -n FILE. Empty for none, and for several.
inline std::string_view file_shown_by(std::string_view script) noexcept {
    script = without_folder(script);
    auto const tool = take_word(script);
    bool shows = false;
    for (std::string_view const each : {"cat", "head", "tail", "nl", "sed"}) shows = shows || tool == each;
    std::string_view last;
    for (auto word = take_word(script); shows && !word.empty(); word = take_word(script)) {
        bool const is_option = last.empty() || last.starts_with('-');
        if (!is_option && (tool == "cat" || tool == "nl")) return {};
        last = word;
    }
    return is_file_word(last) ? last : std::string_view{};
}

/// Calls f(key, spelt) for each string among the arguments, with its quotes. Elements of an array have its key.
inline void each_argument(std::string_view arguments, callable_ref<void(std::string_view, std::string_view)> f) {
    json::scanner scan{arguments};
    std::string_view key;
    for (auto kind = scan.next(); kind != json::token::done && kind != json::token::bad; kind = scan.next())
        if (kind == json::token::key) key = scan.text().substr(1, scan.text().size() - 2);
        else if (kind == json::token::string) f(key, scan.text());
}

/// Members of a call's arguments that hold a script.
inline constexpr std::array<std::string_view, 7> script_members = {"command", "cmd",      "script", "code",
                                                                   "shell",   "commands", "input"};

constexpr bool is_one_of(std::string_view name, std::array<std::string_view, 7> const& names) noexcept {
    bool found = false;
    for (auto const each : names) found = found || name == each;
    return found;
}
/// The script that a call runs; the last of several, as in ["bash", "-c", "make"]. Empty for none.
[[gnu::noinline]] inline std::string script_in(part_view const& call) {
    std::string script;
    each_argument(call.text, [&](std::string_view key, std::string_view spelt) {
        if (is_one_of(key, script_members)) script = json::string_value(spelt);
    });
    return script;
}

/// Calls f(file_edit) for the edits of a call, in order: by the members of its arguments, by patches as `apply_patch`
/// takes them, and by here-documents, `sed -i`, `mv`, `rm` and `git checkout` of a shell. Of more than 1,000, and of
/// very long texts, it is only told that their file has changed. Not read: patterns of file names, whole folders,
/// branches, and what programs write.
[[gnu::noinline]] inline void each_edit(part_view const& call, edit_members const& members, edit_sink sink) {
    constexpr std::size_t most = 1'000, longest = 64'000;
    std::size_t count = 0;
    auto const f = [&](file_edit edit) {
        if (++count > most) return;
        if (count == most || (edit.old && edit.old->size() > longest)) edit.old = edit.text = std::nullopt;
        sink(edit);
    };
    auto file = file_of_call{}(call).value_or("");
    std::string text, old;
    std::string_view partner;
    bool has_text = false, has_old = false;
    auto const end = [&] {
        // Without a file `content` may be of a message, and `search` of a search.
        if (has_text && !partner.empty()) f({file, std::string_view{old}, text});
        else if (has_text && !file.empty()) f({file, std::nullopt, text});
        else if (has_old && !file.empty() && partner != "search") f({file, std::string_view{old}, std::nullopt});
        has_text = has_old = false;
        text.clear();
        old.clear();
    };
    bool const only_looks = has_word(call.tool, looking_words, true);
    each_argument(call.text, [&](std::string_view key, std::string_view spelt) {
        for (auto const& [now, before] : members) {
            if (key.empty() || only_looks || (key != now && key != before)) continue;
            bool const is_text = key == now;
            if (before != partner || (is_text ? has_text : has_old)) end();  // of another edit
            partner = before;
            (is_text ? has_text : has_old) = true;
            (is_text ? text : old) = json::string_value(spelt);
            return;
        }
        if (is_one_of(key, file_of_call{}.members)) {
            end();
            file = json::string_value(spelt);
        } else if (spelt.find("*** Begin Patch") != spelt.npos) {
            auto const patch = json::string_value(spelt);
            each_edit_of_patch(std::string_view{patch}.substr(patch.find("*** Begin Patch")), f);
        } else if (is_one_of(key, script_members)) each_edit_of_script(json::string_value(spelt), f);
    });
    end();
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
