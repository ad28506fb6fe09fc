// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/adapt/llama_cpp.hpp>

#include "support/messages/form.hpp"

// A message of the shape of llama.cpp's common_chat_msg, with one member more, which the library leaves alone.

namespace forms {

struct llama_call {
    std::string name = {};
    std::string arguments = {};
    std::string id = {};
    friend bool operator==(llama_call const&, llama_call const&) = default;
};
struct llama_content {
    std::string type = {};
    std::string text = {};
    friend bool operator==(llama_content const&, llama_content const&) = default;
};
struct llama_message {
    std::string role = {};
    std::string content = {};
    std::vector<llama_content> content_parts = {};
    std::vector<llama_call> tool_calls = {};
    std::string reasoning_content = {};
    std::string tool_name = {};
    std::string tool_call_id = {};
    std::string label = {};
    friend bool operator==(llama_message const&, llama_message const&) = default;
};

/// A message of role tool for each result, with what came with it: before what a user says, after what an assistant
/// asks.
inline std::vector<chat_message> one_result_each(std::vector<chat_message> const& all) {
    std::vector<chat_message> out;
    for (auto const& m : all) {
        chat_message rest{.role = m.role, .name = m.name, .pinned = m.pinned, .mark = m.mark};
        std::vector<chat_message> results;
        for (auto const& part : m.parts) {
            auto const same = std::find_if(results.begin(), results.end(), [&](auto const& result) {
                return !part.call.empty() && result.parts[0].call == part.call;
            });
            if (same != results.end() && part.kind != part_kind::tool_call) same->parts.push_back(part);
            else if (part.kind == part_kind::tool_result) results.push_back({.role = role::tool, .parts = {part}});
            else if (m.role == role::tool && !results.empty()) results.back().parts.push_back(part);
            else rest.parts.push_back(part);
        }
        bool const asks_first = m.role == role::assistant;
        bool const has_rest = !rest.parts.empty() || results.empty();
        if (has_rest && asks_first) out.push_back(rest);
        for (auto& result : results) out.push_back(std::move(result));
        if (has_rest && !asks_first) out.push_back(std::move(rest));
    }
    return out;
}

template <>
struct form<llama_message> {
    static std::string_view label(llama_message const& m) { return m.label; }

    static llama_message from_chat(chat_message const& m) {
        llama_message made{};
        made.role = name(m.role);
        made.label = m.name;
        auto const in_content = [](chat_part const& part) {
            return part.kind != part_kind::reasoning && part.kind != part_kind::tool_call;
        };
        bool const one = std::count_if(m.parts.begin(), m.parts.end(), in_content) == 1 &&
                         std::none_of(m.parts.begin(), m.parts.end(),
                                      [](auto const& part) { return part.kind == part_kind::media; });
        for (auto const& part : m.parts) {
            if (part.kind == part_kind::reasoning) made.reasoning_content += part.text;
            else if (part.kind == part_kind::tool_call) made.tool_calls.push_back({part.tool, part.text, part.call});
            else if (one) made.content = part.text;
            else
                made.content_parts.push_back({part.kind == part_kind::media   ? "media_marker"
                                              : part.kind == part_kind::other ? "other"
                                                                              : "text",
                                              part.text});
            if (part.kind == part_kind::tool_result) {
                made.tool_name = part.tool;
                made.tool_call_id = part.call;
            } else if (part.kind == part_kind::media) made.tool_call_id = part.call;
        }
        return made;
    }
    static std::vector<chat_message> arrange(std::vector<chat_message> const& all) { return one_result_each(all); }
};

}  // namespace forms
