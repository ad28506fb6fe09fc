// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json.hpp>

// How does a program adapt a message type that the library has never heard of? This one is the
// transcript shape of a coding agent: roles user, assistant and toolResult; content blocks text,
// thinking and toolCall; results with toolCallId, toolName and isError.

struct pi_message {
    nlohmann::ordered_json value;
};

/// Whether a conversation has this shape: no other calls a role toolResult.
inline bool is_pi(nlohmann::ordered_json::array_t const& messages) {
    for (auto const& m : messages)
        if (m.is_object() && m.value("role", nlohmann::ordered_json()) == "toolResult") return true;
    return false;
}

template <>
struct condense::message_traits<pi_message> {
    using json = nlohmann::ordered_json;

    static role role_of(pi_message const& m) { return role_named(text_of(m.value, "role")); }

    static void each_part(pi_message const& m, auto&& sink) {
        for (auto const& block : blocks(m.value)) {
            auto const type = text_of(block, "type");
            if (role_of(m) == role::tool)
                sink(part_view{.kind = type == "text" ? part_kind::tool_result : part_kind::media,
                               .text = text_of(block, "text"),
                               .tool = text_of(m.value, "toolName"),
                               .call = text_of(m.value, "toolCallId"),
                               .status = is_error(m.value) ? part_status::error : part_status::ok,
                               .sealed = type != "text",
                               .cost = type == "text" ? own_cost{} : own_cost{cost::of(tokens{1'600})}});
            else if (type == "text") sink(part_view{.text = text_of(block, "text")});
            else if (type == "thinking")
                sink(part_view{.kind = part_kind::reasoning, .text = text_of(block, "thinking"), .sealed = true});
            else if (type == "toolCall") {
                auto const arguments = block.contains("arguments") ? dump(block["arguments"]) : std::string{"{}"};
                sink(part_view{.kind = part_kind::tool_call,
                               .text = arguments,
                               .tool = text_of(block, "name"),
                               .call = text_of(block, "id")});
            } else {
                auto const text = dump(block);
                sink(part_view{.kind = part_kind::other, .text = text, .sealed = true});
            }
        }
    }

    static pi_message with_part(pi_message const& m, std::size_t index, std::string text) {
        auto shorter = m;
        auto& block = shorter.value["content"][index];
        auto const type = text_of(block, "type");
        if (type == "text") block["text"] = std::move(text);
        else if (type != "toolCall") block = {{"type", "text"}, {"text", std::move(text)}};
        else if (auto parsed = parse_json<json>(text)) block["arguments"] = std::move(parsed.value);
        return shorter;
    }

    static pi_message without_part(pi_message const& m, std::size_t index) {
        auto shorter = m;
        shorter.value["content"].erase(index);
        return shorter;
    }

    static pi_message make(role speaker, std::string text) {
        pi_message message;
        message.value["role"] = std::string{name(speaker)};
        message.value["content"].push_back({{"type", "text"}, {"text", std::move(text)}});
        return message;
    }

    static std::string to_bytes(pi_message const& m) { return message_traits<json>::to_bytes(m.value); }
    static std::optional<pi_message> from_bytes(std::string_view held) {
        auto read = message_traits<json>::from_bytes(held);
        if (!read) return std::nullopt;
        return pi_message{std::move(*read)};
    }

    static std::string_view mark_of(pi_message const& m) { return message_traits<json>::mark_of(m.value); }
    static void set_mark(pi_message& m, std::string_view mark) { message_traits<json>::set_mark(m.value, mark); }

private:
    static std::string dump(json const& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

    static std::string_view text_of(json const& object, char const* key) {
        auto const member = object.find(key);
        if (member == object.end() || !member->is_string()) return {};
        return member->get_ref<std::string const&>();
    }
    static bool is_error(json const& object) {
        auto const member = object.find("isError");
        return member != object.end() && member->is_boolean() && member->get<bool>();
    }
    static json::array_t const& blocks(json const& object) {
        static json::array_t const none;
        auto const member = object.find("content");
        return member == object.end() || !member->is_array() ? none : member->get_ref<json::array_t const&>();
    }
};
