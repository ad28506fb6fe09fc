// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

#include <condense/core/quantity.hpp>

// What a message is made of: the role of who speaks, and its parts.

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

// What a message is made of, as its adapter shows it: one part_view for each piece.

enum class part_kind : std::uint8_t { text, reasoning, tool_call, tool_result, media, other };

/// What a model does with the reasoning of its earlier answers that a request gives back to it.
enum class reasoning_use : std::uint8_t {
    unknown,
    takes_back,  ///< it reasons, and takes its reasoning back, at least in the round that is still open
    none,        ///< it does not reason: what another model has thought is of no use to it, or refused
};

/// `pending` on a call or a result says that the answer is still to come, however long it takes;
/// `cancelled` on a call that none will come.
enum class part_status : std::uint8_t { ok, error, cancelled, pending };

/// A cost that stands in place of the text's, if it was given.
class own_cost {
public:
    constexpr own_cost() = default;
    constexpr own_cost(v1::cost value) noexcept : value_{value}, is_set_{true} {}

    constexpr explicit operator bool() const noexcept { return is_set_; }
    constexpr v1::cost operator*() const noexcept { return value_; }
    constexpr void reset() noexcept { *this = {}; }
    friend constexpr bool operator==(own_cost, own_cost) = default;

private:
    v1::cost value_ = {};
    bool is_set_ = false;
};

/// One piece of a message. The views need only live while the sink that receives them runs.
///
/// Of media the text is not what they hold but what they are, short, as in "image/png, 90,123 bytes" or
/// nothing; give their cost. With a text in their place (with_part) they are a part of kind text that
/// is not sealed, or of their tool result.
struct part_view {
    part_kind kind = part_kind::text;
    std::string_view text = {};  ///< UTF-8; of a tool call its arguments
    std::string_view tool = {};  ///< tool name; may be empty on a result
    std::string_view call = {};  ///< call id, which may be empty or reused
    part_status status = part_status::ok;
    bool sealed = false;  ///< signed or opaque: goes whole or stays byte-exact
    own_cost cost = {};  ///< what media and opaque parts cost, in place of their text

    friend constexpr bool operator==(part_view const&, part_view const&) = default;
};

constexpr std::string_view name(part_kind kind) noexcept {
    switch (kind) {
        case part_kind::text: return "text";
        case part_kind::reasoning: return "reasoning";
        case part_kind::tool_call: return "tool call";
        case part_kind::tool_result: return "tool result";
        case part_kind::media: return "media";
        case part_kind::other: break;
    }
    return "other";
}

}  // namespace v1
}  // namespace condense
