// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <condense/core/message.hpp>
#include <condense/detail/items.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/json_strings.hpp>

// The texts of messages as a reader takes them: arguments of calls parsed, so that no escape of JSON glues to a name.

namespace condense {
inline namespace v1 {
namespace detail {

/// The scalars of the arguments, each on a line of its own after the latest key: `"path": "a.cpp"`. Strings are
/// decoded, and stand in quotes only where that can be read back: short, on one line, without quotes of their own. What
/// is no JSON stays as it is.
inline std::string plain_arguments(std::string_view arguments) {
    if (!json::valid(arguments)) return std::string{arguments};
    std::string out;
    std::string_view key;
    json::scanner scan{arguments};
    for (auto kind = scan.next(); kind != json::token::done; kind = scan.next()) {
        if (kind == json::token::key) key = scan.text();
        if (kind == json::token::key || kind == json::token::close || json::opens(kind)) continue;
        if (!key.empty()) out.append(key).append(": ");
        if (kind == json::token::string) {
            auto const value = json::string_value(scan.text());
            bool const quotes = value.size() <= quoted_most && value.find_first_of("\n\"") == std::string::npos;
            out.append(quotes ? "\"" : "").append(value).append(quotes ? "\"\n" : "\n");
        } else out.append(scan.text()).push_back('\n');
    }
    return out;
}

/// Calls f(text) with the text of a part, of a call with its plain arguments.
template <class Function>
void with_plain_text(part_view const& part, Function&& f) {
    if (part.kind == part_kind::tool_call) f(std::string_view{plain_arguments(part.text)});
    else f(part.text);
}

/// Calls f(text) for each part but media, whose text is a name or data rather than words of the conversation.
template <message Message, class Function>
void each_text(Message const& m, Function&& f) {
    each_part(m, [&](part_view const& part) {
        if (part.kind != part_kind::media) with_plain_text(part, f);
    });
}

/// True if one part of the message holds the text.
template <message Message>
bool holds_text(Message const& m, std::string_view wanted) {
    bool holds = false;
    each_text(m, [&](std::string_view text) { holds = holds || text.find(wanted) != std::string_view::npos; });
    return holds;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
