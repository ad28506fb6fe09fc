// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

// Who a message speaks for. Adapters map their own roles to these: role_named("developer").

namespace condense {
inline namespace v1 {

enum class role : std::uint8_t { system, user, assistant, tool, other };

/// The role's usual spelling, as in the chat APIs.
constexpr std::string_view name(role which) noexcept {
    switch (which) {
        case role::system: return "system";
        case role::user: return "user";
        case role::assistant: return "assistant";
        case role::tool: return "tool";
        case role::other: break;
    }
    return "other";
}

/// Reads the spellings of the common APIs ("developer" is system, "model" is assistant, "function"
/// and "toolResult" are tool); everything else is `other`.
constexpr role role_named(std::string_view spelling) noexcept {
    if (spelling == "user" || spelling == "human") return role::user;
    if (spelling == "assistant" || spelling == "model" || spelling == "ai") return role::assistant;
    if (spelling == "system" || spelling == "developer") return role::system;
    if (spelling == "tool" || spelling == "function" || spelling == "toolResult") return role::tool;
    return role::other;
}

}  // namespace v1
}  // namespace condense
