// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/detail/json_scan.hpp>

// The type of a text for markers: "json", "mixed" for JSON among other lines, or "text".

namespace condense {
inline namespace v1 {
namespace detail {

/// JSON is an object or an array that begins and ends a line; several below each other are JSON, too. One pass:
/// where what begins like JSON turns out to be none, the look goes on behind that line.
constexpr std::string_view type_of_text(std::string_view text) noexcept {
    auto const past_blanks = [text](std::size_t at) {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) ++at;
        return at;
    };
    bool found = false;
    bool others = false;
    for (std::size_t at = 0; at < text.size();) {
        auto const begin = past_blanks(at);
        if (begin == text.size()) break;
        auto stop = begin;
        bool document = false;
        if (text[begin] == '{' || text[begin] == '[') {
            json::scanner scan{text.substr(begin)};
            scan.next();
            document = !scan.skip().empty();
            auto const last = scan.text();
            stop = static_cast<std::size_t>(last.data() - text.data()) + (document ? last.size() : 0);
        }
        auto const end = text.find('\n', stop);
        at = end == std::string_view::npos ? text.size() : end + 1;
        document = document && past_blanks(stop) >= at;
        (document ? found : others) = true;
    }
    return !found ? "text" : others ? "mixed" : "json";
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
