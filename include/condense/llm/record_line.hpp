// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <condense/core/file_of_call.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/json_strings.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/name_list.hpp>
#include <condense/llm/names.hpp>

// Text of a conversation as one line of a record in a summary.

namespace condense {
inline namespace v1 {
namespace detail {

// Lines that begin the parts of a summary that a later run reads again.
inline constexpr std::string_view words_head = "The user's words in it:";
inline constexpr std::string_view record_head = "Record of it:";
inline constexpr std::string_view texts_head = "Texts of the latest edits, as they were written:";

/// True if a line of the text is one of these, so that it could be read as such a part.
inline bool has_head(std::string_view text) noexcept {
    for (auto const head : {words_head, record_head, texts_head, index_head, older_index_head})
        for (auto at = text.find(head); at != text.npos; at = text.find(head, at + 1))
            if (at == 0 || text[at - 1] == '\n') return true;
    return false;
}

/// The longest line of a record, in bytes.
inline constexpr std::size_t record_line_most = 1'000;

/// True for the text of a line: plain, and nothing that could close a fence.
inline bool is_recordable(std::string_view text) noexcept {
    for (auto at = text.find('<'); at != text.npos; at = text.find('<', at + 1))
        if (makes_fence(text.substr(at + 1))) return false;
    return !text.empty() && text.size() <= record_line_most && is_plain(text);
}

/// The text on one line of at most `limit` code points, as it can stand in a record; empty if nothing is left of it.
inline std::string record_line(std::string_view text, chars limit) {
    auto const begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    auto out = printable(text.substr(begin), limit.count);
    for (std::size_t at = 0; at < out.size(); ++at)
        if (out[at] == '\t') out[at] = ' ';
        else if (out[at] == '<' && makes_fence(std::string_view{out}.substr(at + 1))) out[at] = '(';
    if (is_plain(out)) return is_recordable(out) ? out : std::string{};
    // Joiners and marks that are not seen are left out, character by character.
    std::string plain;
    for (std::size_t place = 0; place < out.size();) {
        auto const size = utf8::decode(out, place).size;
        auto const one = std::string_view{out}.substr(place, size);
        if (is_plain(one)) plain.append(one);
        place += size;
    }
    return is_recordable(plain) ? plain : std::string{};
}

/// True for the text of a result that begins as an error does, also one in JSON.
inline bool is_error_text(std::string_view text) noexcept {
    text.remove_prefix((std::min)(text.find_first_not_of(" \t\r\n"), text.size()));
    for (std::string_view const word :
         {"error:", "error executing", "[error", "traceback (most", "fatal:", "exception:", "no replacement was",
          "{\"error\": \"", "{\"error\":\"", "{\"error\":{"})
        if (begins_with_word(text, word))  // an empty one in JSON is none
            return !word.ends_with('"') || !text.substr(word.size()).starts_with('"');
    return false;
}
/// True for a line that tells of an exit code other than 0.
inline bool tells_exit_code(std::string_view line) noexcept {
    for (std::string_view const mark : {"<returncode>", "exit code ", "exit code: ", "exited with code ",
                                        "exit status ", "process exited with code ", "command exited with code "})
        if (begins_with_word(line, mark) && line.size() > mark.size())
            return line[mark.size()] >= '1' && line[mark.size()] <= '9';
    auto const at = line.find("\"exit_code\":");
    auto const digit = at == line.npos ? at : line.find_first_not_of(' ', at + 12);
    return digit < line.size() && line[digit] >= '1' && line[digit] <= '9';
}
/// How a result tells that its call ended.
struct call_end {
    std::string_view line = {};  ///< of an error the first one, of other output the last that is no mark
    bool failed = false;  ///< by its status, by how it begins, or by an exit code in its first or last line
    bool is_silent = false;  ///< with the exit code 1 and nothing else
};
inline call_end end_of(part_view const& result) noexcept {
    bool const is_error = is_error_text(result.text);
    call_end end{.failed = is_error || result.status == part_status::error};
    std::string_view first, last;
    for (auto text = result.text; !text.empty();) {
        auto const line = without_space(take_line(text));
        if (line.empty()) continue;
        if (first.empty()) first = line;
        last = line;
        if (!line.starts_with('<') && !(is_error && !end.line.empty())) end.line = line;
    }
    // A search that found nothing has an exit code, too, and no output.
    end.is_silent = tells_exit_code(first) && first.data() == last.data() && first.ends_with(" 1");
    end.failed = end.failed || (!end.line.empty() && (tells_exit_code(first) || tells_exit_code(last)));
    return end;
}

/// The last sentence of a text, where that is a question, as it can stand in a record.
inline std::string question_of(std::string_view text) {
    auto const end = text.find_last_not_of(" \t\r\n*");
    if (end == text.npos || text[end] != '?') return {};
    auto const before = end == 0 ? text.npos : text.find_last_of(".!?\n", end - 1);
    auto const begin = before == text.npos ? 0 : before + 1;
    return record_line(text.substr(begin, end + 1 - begin), {100});
}

/// Words of the names of tools that change something, and first words of those that only look.
inline constexpr std::string_view changing_words =
    "add apply assign book cancel change close create delete deploy disable enable exchange insert merge modify move "
    "order pay post publish refund remove rename reset return schedule send set submit transfer update";
inline constexpr std::string_view looking_words =
    "calculate check count describe fetch find get list read search think view";

/// True if a word of the name of a tool, as in cancel_order or cancelOrder, is one of `words`, in lower case and
/// between spaces; `first`: only its first word counts.
constexpr bool has_word(std::string_view name, std::string_view words, bool first) noexcept {
    auto const is_letter = [](char byte) { return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'; };
    auto const is_capital = [](char byte) { return byte >= 'A' && byte <= 'Z'; };
    for (std::size_t at = 0; at < name.size();) {
        auto end = at;
        while (end < name.size() && is_letter(name[end]) &&
               (end == at || !is_capital(name[end]) || is_capital(name[end - 1])))
            ++end;
        for (auto rest = words; end != at && !rest.empty();) {
            auto const word = rest.substr(0, rest.find(' '));
            rest.remove_prefix((std::min)(word.size() + 1, rest.size()));
            if (word.size() == end - at && begins_with_word(name.substr(at), word)) return true;
        }
        if (first && end != at) return false;
        at = end == at ? at + 1 : end;
    }
    return false;
}

/// A call that changes something other than a file: its subject, which is the first of its arguments, and the others.
struct changing_call {
    bool changes = false;  ///< it does; else the rest is empty
    std::string subject = {};
    std::string rest = {};  ///< ", a 1; b 2"
};
[[gnu::noinline]] inline changing_call changing_call_of(part_view const& call,
                                                        std::string_view changes = changing_words,
                                                        std::string_view looks = looking_words) {
    changing_call made;
    if (has_word(call.tool, looks, true) || !has_word(call.tool, changes, false) || file_of_call{}(call) ||
        call.text.find("*** Begin Patch") != call.text.npos)
        return made;
    made.changes = true;
    json::each_member(call.text, [&](std::string_view name, std::string_view value) {
        auto const shown = value.starts_with('"') ? json::string_value(value) : std::string{value};
        if (made.subject.empty()) made.subject = shown;
        else made.rest.append(made.rest.empty() ? ", " : "; ").append(name).append(" ").append(shown);
    });
    return made;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
