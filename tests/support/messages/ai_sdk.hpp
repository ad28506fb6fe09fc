// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <variant>

#include <nlohmann/json.hpp>

#include <condense/adapt/ai_sdk.hpp>

#include "support/messages/form.hpp"

// A message of the shape of ai-sdk-cpp's ai::Message, with one member more, which the library leaves alone.

namespace forms {

struct ai_text {
    std::string text;
    friend bool operator==(ai_text const&, ai_text const&) = default;
};
struct ai_call {
    ai_call(std::string with_id, std::string with_tool, nlohmann::json with_arguments)
        : id{std::move(with_id)}, tool_name{std::move(with_tool)}, arguments(std::move(with_arguments)) {}

    std::string id;
    std::string tool_name;
    nlohmann::json arguments;
    friend bool operator==(ai_call const&, ai_call const&) = default;
};
struct ai_result {
    ai_result(std::string with_id, nlohmann::json with_result, bool error = false)
        : tool_call_id{std::move(with_id)}, result(std::move(with_result)), is_error{error} {}

    std::string tool_call_id;
    nlohmann::json result;
    bool is_error;
    friend bool operator==(ai_result const&, ai_result const&) = default;
};

enum ai_role { ai_role_system, ai_role_user, ai_role_assistant };

struct ai_message {
    using part = std::variant<ai_text, ai_call, ai_result>;

    ai_message(ai_role from, std::vector<part> parts) : role{from}, content{std::move(parts)} {}

    ai_role role;
    std::vector<part> content;
    std::string label = {};

    static ai_message system(std::string const& text) { return {ai_role_system, {ai_text{text}}}; }
    static ai_message user(std::string const& text) { return {ai_role_user, {ai_text{text}}}; }
    static ai_message assistant(std::string const& text) { return {ai_role_assistant, {ai_text{text}}}; }

    std::string roleToString() const {
        return role == ai_role_system ? "system" : role == ai_role_user ? "user" : "assistant";
    }
    friend bool operator==(ai_message const&, ai_message const&) = default;
};

/// What the text says in JSON, or a string.
inline nlohmann::json json_or_string(std::string const& text) {
    auto value = nlohmann::json::parse(text, nullptr, false);
    return value.is_discarded() || value.is_string() ? nlohmann::json(text) : value;
}

template <>
struct form<ai_message> {
    /// There are neither media nor reasoning.
    static constexpr bool words_alone = true;

    static std::string_view label(ai_message const& m) { return m.label; }

    static ai_message from_chat(chat_message const& m) {
        auto const from = m.role == role::system      ? ai_role_system
                          : m.role == role::assistant ? ai_role_assistant
                                                      : ai_role_user;
        ai_message made{from, {}};
        for (auto const& part : m.parts) {
            if (part.kind == part_kind::tool_call)
                made.content.emplace_back(ai_call{part.call, part.tool, json_or_string(part.text)});
            else if (part.kind == part_kind::tool_result)
                made.content.emplace_back(
                    ai_result{part.call, json_or_string(part.text), part.status == part_status::error});
            else made.content.emplace_back(ai_text{part.text});
        }
        made.label = m.name;
        return made;
    }
};

}  // namespace forms
