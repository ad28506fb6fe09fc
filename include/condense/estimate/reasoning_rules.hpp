// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/estimate/family.hpp>

// Rules for the reasoning of earlier answers, by model: one table, filled from what makers document. Facts of a
// model have it as `reasoning`, `bound` and `wanted`.

namespace condense {
inline namespace v1 {
namespace detail {

/// The rule for models whose names begin like this, from a version on.
struct reasoning_rule {
    std::string_view models = {};  ///< lower case
    std::uint32_t from = 0;  ///< as version_of reads it: 51 is 5.1; for earlier ones a later row stands
    reasoning_use use = reasoning_use::unknown;  ///< unknown where names do not tell models that reason from others
    bound_parts bound = bound_parts::leave;
    reasoning_wanted wanted = reasoning_wanted::all;
};

inline constexpr auto binds = bound_parts::leave;
inline constexpr auto binds_nothing = bound_parts::stay;

/// The first row that fits counts. Sources: the pages of each maker in the state of 2026-11, named above its rows.
inline constexpr reasoning_rule reasoning_rules[] = {
    // https://platform.claude.com/docs, "Preserved thinking": bound to system text, tools and messages before it, from
    // Fable and Mythos 5.1, Opus, Sonnet and Haiku 5.5 on; "Extended thinking": the round with calls that is open.
    {"claude", 51, reasoning_use::takes_back, binds, reasoning_wanted::open_round},
    {"claude", 37, reasoning_use::takes_back, binds_nothing, reasoning_wanted::open_round},
    {"claude", 0, reasoning_use::none, binds_nothing, reasoning_wanted::open_round},
    // https://developers.openai.com, "Reasoning": an item of reasoning and the item behind it need each other, and the
    // account that made it; https://github.com/openai/harmony: that of the calls since the last final answer.
    {"gpt-oss", 0, reasoning_use::takes_back, binds_nothing, reasoning_wanted::turn},
    {"gpt", 50, reasoning_use::takes_back, binds_nothing, reasoning_wanted::all},
    {"gpt", 0, reasoning_use::none, binds_nothing, reasoning_wanted::open_round},
    {"o", 0, reasoning_use::takes_back, binds_nothing, reasoning_wanted::all},
    // https://ai.google.dev/gemini-api/docs/thought-signatures: each step of the current turn has its signature.
    {"gemini", 25, reasoning_use::takes_back, binds_nothing, reasoning_wanted::turn},
    {"gemini", 0, reasoning_use::none, binds_nothing, reasoning_wanted::open_round},
    {"gemma", 40, reasoning_use::unknown, binds_nothing, reasoning_wanted::turn},
    {"gemma", 0, reasoning_use::none, binds_nothing, reasoning_wanted::open_round},
    // https://platform.moonshot.ai/docs: messages with calls whole.
    {"kimi-k2-thinking", 0, reasoning_use::takes_back, binds_nothing, reasoning_wanted::calls},
    {"kimi-k2-", 0, reasoning_use::none, binds_nothing, reasoning_wanted::calls},
    {"kimi", 0, reasoning_use::unknown, binds_nothing, reasoning_wanted::calls},
    // https://api-docs.deepseek.com, "Thinking mode": all messages of turns with calls, from V4 on.
    {"deepseek-reasoner", 0, reasoning_use::takes_back, binds_nothing, reasoning_wanted::turns_with_calls},
    {"deepseek", 0, reasoning_use::unknown, binds_nothing, reasoning_wanted::turns_with_calls},
    // https://docs.z.ai, "Thinking mode", https://platform.minimax.io/docs, https://docs.x.ai: unchanged and in order.
    {"glm", 0, reasoning_use::unknown, binds_nothing, reasoning_wanted::all},
    {"minimax", 0, reasoning_use::takes_back, binds_nothing, reasoning_wanted::all},
    {"grok", 0, reasoning_use::unknown, binds_nothing, reasoning_wanted::all},
    // Model cards of Qwen 3.6 (`preserve_thinking`) and of Mistral: what was written, where it is on.
    {"qwen", 0, reasoning_use::unknown, binds_nothing, reasoning_wanted::all},
    {"llama", 0, reasoning_use::none, binds_nothing, reasoning_wanted::open_round},
    {"codestral", 0, reasoning_use::none, binds_nothing, reasoning_wanted::open_round},
    {"open-mistral-nemo", 0, reasoning_use::none, binds_nothing, reasoning_wanted::open_round},
    {"", 0, reasoning_use::unknown, binds_nothing, reasoning_wanted::all},
};

/// The rule for a model of the table, by its maker's name.
constexpr reasoning_rule const& reasoning_rule_of(std::string_view name) noexcept {
    auto const* rule = reasoning_rules;
    auto const begins = [&](std::string_view beginning) {
        if (beginning == "o") return is_openai_reasoner(name);
        return beginning.empty() || beginning.ends_with('-') ? name.starts_with(beginning) : of_family(name, beginning);
    };
    // Of "gpt-5-chat-latest" and its successors nothing is documented.
    bool const is_chat = name.ends_with("-chat-latest");
    while (!rule->models.empty() && (is_chat || !begins(rule->models) || version_of(name) < rule->from)) ++rule;
    return *rule;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
