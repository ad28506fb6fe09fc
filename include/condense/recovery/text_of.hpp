// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <condense/core/message.hpp>
#include <condense/core/part.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>

// What a reader sees of a journal's entry: message_text<Message>{} for a type of message, plain_text{} where it is
// unknown.

namespace condense {
inline namespace v1 {

/// Of JSON its strings and numbers, one a line and behind the key that names it: "content: It works."; of other bytes
/// themselves.
struct plain_text {
    std::string operator()(std::string_view content) const {
        if (!detail::json::valid(content)) return std::string{content};
        std::string out;
        std::string key;
        detail::json::scanner scan{content};
        for (auto kind = scan.next(); kind != detail::json::token::done; kind = scan.next()) {
            using detail::json::token;
            if (kind == token::key) key = detail::printable(detail::json::string_value(scan.text()), 80);
            if (kind != token::string && kind != token::number) continue;
            if (!key.empty()) out.append(key).append(": ");
            key.clear();  // of an array once
            out += kind == token::string ? detail::json::string_value(scan.text()) : std::string{scan.text()};
            out.push_back('\n');
        }
        return out;
    }
};

/// The parts of a message, each behind a line that says what it is: "assistant called shell:".
template <storable Message>
struct message_text {
    std::string operator()(std::string_view content) const {
        std::optional<Message> const m = v1::from_bytes<Message>(content);
        if (!m) return plain_text{}(content);
        std::string out;
        auto const speaker = name(v1::role_of(*m));
        v1::each_part(*m, [&](part_view const& part) {
            if (part.text.empty() && part.kind != part_kind::tool_call && part.kind != part_kind::tool_result) return;
            out.append(speaker);
            auto const tool = part.tool.empty() ? std::string{} : " " + detail::printable(part.tool, 80);
            switch (part.kind) {
                case part_kind::tool_call: out.append(" called").append(tool); break;
                case part_kind::tool_result: out.append(", result of").append(tool.empty() ? " a call" : tool); break;
                case part_kind::text: break;
                default: out.append(", ").append(name(part.kind));
            }
            out.append(": ").append(part.text).append("\n");
        });
        return out;
    }
};

}  // namespace v1
}  // namespace condense
