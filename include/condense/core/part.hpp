// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

#include <condense/core/quantity.hpp>

// What a message is made of: the role of its author, and its parts as adapters show them. Adapters map their own roles
// to these five: role_named("developer").

namespace condense {
inline namespace v1 {

/// The author of a message. `other` is an ordinary message: it may be dropped or summarised.
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

/// Reads the spellings of the common APIs ("developer" is system, "model" is assistant, "function", "toolResult" and
/// the "ipython" and "observation" of chat templates are tool); everything else is `other`.
constexpr role role_named(std::string_view spelling) noexcept {
    if (spelling == "user" || spelling == "human") return role::user;
    if (spelling == "assistant" || spelling == "model" || spelling == "ai") return role::assistant;
    if (spelling == "system" || spelling == "developer") return role::system;
    for (std::string_view const result : {"tool", "function", "toolResult", "tool_result", "ipython", "observation"})
        if (spelling == result) return role::tool;
    return role::other;
}

/// What a part holds, which decides what may be done with it: calls and results are dropped in pairs, sealed parts are
/// not edited, `other` is for what the library has no name for.
enum class part_kind : std::uint8_t { text, reasoning, tool_call, tool_result, media, other };

/// What a model does with the reasoning of its earlier answers when a request contains it.
enum class reasoning_use : std::uint8_t {
    unknown,
    takes_back,  ///< it reasons, and reads its earlier reasoning, at least that of the open round
    none,        ///< it does not reason: reasoning of another model is ignored, or makes it refuse the request
};

/// Which of its earlier reasoning a provider wants back, unless the messages that hold it have left; from the least to
/// the strictest.
enum class reasoning_wanted : std::uint8_t {
    open_round,  ///< that of the round that is open
    turn,  ///< and that of the newest turn's messages with calls
    calls,  ///< that of all messages with calls
    turns_with_calls,  ///< that of all messages of turns with calls
    all,  ///< every bit of it
};

/// Whether parts that are bound to what stood before them (see part_view) leave once that has changed.
enum class bound_parts : std::uint8_t {
    leave,  ///< they go with the change, as the provider would refuse the request
    stay,  ///< the model binds none, or its provider was told to drop them itself
};

/// Whether a part is its provider's own summary of all that was before it, of which the model reads nothing else; and
/// whether that may still be in the request.
enum class compaction_place : std::uint8_t {
    none,  ///< it is no such summary
    any,
    first,  ///< the provider refuses messages before it
};

/// The state of a call or a result. `pending`: the answer is still to come, however long it takes. `cancelled`, of a
/// call: none will come.
enum class part_status : std::uint8_t { ok, error, cancelled, pending };

/// An optional cost that replaces the estimate of a part's text.
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

/// One part of a message. Its string views need only be valid while the sink that receives it runs.
///
/// The text of media is not their content but a short description, such as "image/png, 90,123 bytes", or empty; set
/// their cost. After with_part has put a text in their place, they must show as a part of kind text that is not sealed,
/// or as part of their tool result.
struct part_view {
    part_kind kind = part_kind::text;
    std::string_view text = {};  ///< UTF-8; of a tool call its arguments
    std::string_view tool = {};  ///< tool name; may be empty on a result
    std::string_view call = {};  ///< call id, which may be empty or reused
    part_status status = part_status::ok;
    bool sealed = false;  ///< signed or opaque: goes whole or stays byte-exact
    own_cost cost = {};  ///< what media and opaque parts cost, in place of their text
    /// Its provider refuses it, and all after it of the kind, behind another beginning of the conversation than that
    /// which it was written after, such as signed thinking of newer Claude models. A run that changes something before
    /// it takes it out, unless run_options::bound says otherwise. Heeded in messages of the assistant, where the type
    /// has without_part or with_edits.
    bool bound = false;
    /// The newest compaction stays where it is, as if it were pinned.
    compaction_place compaction = compaction_place::none;
    /// Bytes of content that is not in `text`, as they are sent: of media in base64.
    std::uint64_t data = 0;
    /// The cost beside its text or `cost`, such as of words around it that no part shows and no edit changes.
    v1::cost beside = {};

    friend constexpr bool operator==(part_view const&, part_view const&) = default;
};

/// The kind as reports and prompts print it.
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
