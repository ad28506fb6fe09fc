// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/detail/json_scan.hpp>

// The type of a text for markers: "json", "mixed" for JSON among other lines, or "text".

namespace condense {
inline namespace v1 {
namespace detail {

/// JSON is an object or an array with nothing else on its lines; several below each other are JSON, too. One pass:
/// where a text only begins like JSON, reading goes on after the line where it stops being JSON.
constexpr std::string_view type_of_text(std::string_view text) noexcept {
    auto const past_blanks = [text](std::size_t position) {
        while (position < text.size() &&
               (text[position] == ' ' || text[position] == '\t' || text[position] == '\r' || text[position] == '\n'))
            ++position;
        return position;
    };
    bool has_json = false;
    bool has_others = false;
    for (std::size_t position = 0; position < text.size();) {
        auto const begin = past_blanks(position);
        if (begin == text.size()) break;
        auto end = begin;
        bool is_document = false;
        if (text[begin] == '{' || text[begin] == '[') {
            json::scanner scan{text.substr(begin)};
            scan.next();
            // skip() reads to the end of the container, or to the place where the text is no JSON.
            is_document = !scan.skip().empty();
            auto const closing = scan.text();
            end = static_cast<std::size_t>(closing.data() - text.data()) + (is_document ? closing.size() : 0);
        }
        auto const line_end = text.find('\n', end);
        position = line_end == std::string_view::npos ? text.size() : line_end + 1;
        is_document = is_document && past_blanks(end) >= position;
        (is_document ? has_json : has_others) = true;
    }
    return !has_json ? "text" : has_others ? "mixed" : "json";
}

}  // namespace detail

using detail::type_of_text;

}  // namespace v1
}  // namespace condense
