// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/family.hpp>

#include <initializer_list>
#include <type_traits>

#include "support/catch.hpp"

namespace {

using condense::family_of, condense::model_family, condense::with_family;
namespace family = condense::family;

/// Whether models are of a family, by its value and by its type.
template <class Family>
constexpr bool all_of(model_family family, std::initializer_list<std::string_view> models) {
    auto const is_type = [](auto found) { return std::is_same_v<decltype(found), Family>; };
    for (auto const model : models)
        if (!with_family(model, is_type) || family_of(model) != family) return false;
    return with_family(family, is_type) && family_of(condense::name(family)) == family;
}

/// Claude has two tokenizers, and providers stand before a slash.
constexpr bool names_show_their_family() {
    return all_of<family::claude>(
               model_family::claude,
               {"claude", "claude-sonnet-4-5", "claude-3-5-haiku-20241022", "claude_next", "claude4", "claude-opus-4-6",
                "claude-opus-4-6-20260205", "claude-3-opus-20240229", "claude-4-sonnet", "claude-sonnet-4.6",
                "claude-2.1", "claude-instant-v1", "claude-opus-4-20250514", "anthropic/claude-opus-4",
                "openrouter/anthropic/claude-3.7-sonnet", "bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0"}) &&
           all_of<family::claude_4_7>(
               model_family::claude_4_7,
               {"claude-opus-4-7", "claude-opus-4.7", "claude-opus-4-7-20260416", "claude-sonnet-5", "claude-haiku-5-5",
                "claude-opus-10", "claude-5-sonnet", "anthropic/claude-opus-4-8", "us.anthropic.claude-sonnet-5-5",
                "claude-opus-5@default"}) &&
           all_of<family::gpt>(model_family::gpt,
                               {"gpt-4o", "gpt4", "gpt-5-mini", "chatgpt-4o-latest", "o1", "o3", "o3-mini",
                                "o4-mini-2025-04-16", "GPT-4o", "openai/gpt-4o", "azure/o3"}) &&
           all_of<family::kimi>(model_family::kimi, {"kimi-k2", "kimi", "moonshot-v1-128k", "moonshotai.kimi-k3"}) &&
           all_of<family::gemini>(model_family::gemini, {"gemini-2.5-flash", "gemini", "google/gemma-3-27b-it",
                                                         "gemma3", "gemma-4-31b-it", "models/gemini-2.5-pro"}) &&
           condense::name(model_family::claude_4_7) == "claude_4_7";
}

/// case-180: never a match on a mere prefix.
constexpr bool anything_else_is_other() {
    return all_of<family::other>(model_family::other,
                                 {"", "/", "claude/", "gpt-4o/my-finetune", "claudette", "gpting", "geminis", "gemmae",
                                  "kimiko", "o", "o0", "o1x", "o10", "oracle", "llama-3", "my-gpt"}) &&
           condense::name(family_of("")) == "other";
}

constexpr bool what_the_visitor_gives_is_given() {
    int value = 3;
    auto& same = with_family("gpt-4o", [&](auto) -> int& { return value; });
    same = 5;
    return value == 5;
}

static_assert(names_show_their_family() && anything_else_is_other() && what_the_visitor_gives_is_given());

}  // namespace

TEST_CASE("family: model names") {
    CHECK(names_show_their_family());
    CHECK(anything_else_is_other());
    CHECK(what_the_visitor_gives_is_given());
}
