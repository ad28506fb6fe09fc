// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>

#include "support/messages/form.hpp"

// JSON in both shapes within one conversation: OpenAI's where a message is one result, or every other
// one with calls; Anthropic's blocks for the rest.

namespace forms {

using nlohmann::json;

template <>
struct form<json> {
    /// An unknown member, which the library leaves alone.
    static std::string_view label(json const& m) {
        auto const found = m.find("label");
        return found == m.end() ? std::string_view{} : std::string_view{found->get_ref<std::string const&>()};
    }

    static json from_chat(chat_message const& m) {
        json made{{"role", name(m.role)}, {"label", m.name}};
        if (!m.mark.empty()) made["condense"] = m.mark;
        if (m.parts.empty()) made["content"] = "";
        else if (m.parts.size() == 1 && m.parts[0].kind == part_kind::text) made["content"] = m.parts[0].text;
        else if (is_one_result(m)) {
            made["tool_call_id"] = m.parts[0].call;
            made["content"] = m.parts[0].text;
        } else if (has_member_calls(m)) add_member_calls(made, m);
        else add_blocks(made, m);
        return made;
    }

private:
    static bool is_one_result(chat_message const& m) {
        return m.role == role::tool && m.parts.size() == 1 && m.parts[0].kind == part_kind::tool_result &&
               !m.parts[0].sealed;
    }

    /// A text at most, then calls.
    static bool has_member_calls(chat_message const& m) {
        if (m.name.empty() || m.name.back() % 2 != 0) return false;
        for (std::size_t at = 0; at < m.parts.size(); ++at)
            if (m.parts[at].kind != part_kind::tool_call && !(at == 0 && m.parts[at].kind == part_kind::text))
                return false;
        return true;
    }

    static void add_member_calls(json& made, chat_message const& m) {
        made["content"] = nullptr;
        made["tool_calls"] = json::array();
        for (auto const& part : m.parts) {
            if (part.kind == part_kind::text) made["content"] = part.text;
            else
                made["tool_calls"].push_back({{"id", part.call},
                                              {"type", "function"},
                                              {"function", {{"name", part.tool}, {"arguments", part.text}}}});
        }
    }

    static void add_blocks(json& made, chat_message const& m) {
        if (m.role == role::tool) made["role"] = "user";
        auto& blocks = made["content"] = json::array();
        for (auto const& part : m.parts) {
            auto const of_result =
                part.kind == part_kind::media && !blocks.empty() && holds_result(blocks.back(), part.call);
            (of_result ? blocks.back()["content"] : blocks).push_back(as_block(part));
        }
    }

    static bool holds_result(json const& block, std::string const& call) {
        return block["type"] == "tool_result" && block["tool_use_id"] == call;
    }

    /// What the text says in JSON, or a string.
    static json value_of(std::string const& text) {
        auto value = json::parse(text, nullptr, false);
        return value.is_discarded() ? json(text) : value;
    }

    static json as_block(chat_part const& part) {
        switch (part.kind) {
            case part_kind::reasoning: {
                json made{{"type", "thinking"}, {"thinking", part.text}};
                if (part.sealed) made["signature"] = "of the provider";
                return made;
            }
            case part_kind::tool_call: {
                return {{"type", "tool_use"}, {"id", part.call}, {"name", part.tool}, {"input", value_of(part.text)}};
            }
            case part_kind::tool_result: {
                if (part.sealed)
                    return {{"type", "web_search_tool_result"},
                            {"tool_use_id", part.call},
                            {"content", value_of(part.text)}};
                json made{{"type", "tool_result"}, {"tool_use_id", part.call}, {"content", json::array()}};
                made["content"].push_back({{"type", "text"}, {"text", part.text}});
                if (part.status == part_status::error) made["is_error"] = true;
                return made;
            }
            case part_kind::media: return {{"type", "image"}, {"source", {{"type", "base64"}, {"data", "AAAA"}}}};
            case part_kind::text:
            case part_kind::other: break;
        }
        return {{"type", "text"}, {"text", part.text}};
    }
};

}  // namespace forms
