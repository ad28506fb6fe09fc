// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <condense/core/quantity.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/names.hpp>

// Text of a conversation as one line of a record in a summary.

namespace condense {
inline namespace v1 {
namespace detail {

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

/// The last sentence of a text, where that is a question, as it can stand in a record.
inline std::string question_of(std::string_view text) {
    auto const end = text.find_last_not_of(" \t\r\n*");
    if (end == text.npos || text[end] != '?') return {};
    auto const before = end == 0 ? text.npos : text.find_last_of(".!?\n", end - 1);
    auto const begin = before == text.npos ? 0 : before + 1;
    return record_line(text.substr(begin, end + 1 - begin), {100});
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
