// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/family.hpp>

#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "support/catch.hpp"

namespace {

using condense::with_family;
namespace family = condense::family;

template <class Family>
constexpr bool all_of(std::initializer_list<std::string_view> models) {
    for (auto const model : models)
        if (!with_family(model, [](auto found) { return std::is_same_v<decltype(found), Family>; })) return false;
    return true;
}

constexpr bool names_show_their_family() {
    return all_of<family::claude>(
               {"claude", "claude-sonnet-4-5", "claude-3-5-haiku-20241022", "claude_next", "claude4"}) &&
           all_of<family::gpt>(
               {"gpt-4o", "gpt4", "gpt-5-mini", "chatgpt-4o-latest", "o1", "o3-mini", "o4-mini-2025-04-16"}) &&
           all_of<family::kimi>({"kimi-k2", "kimi", "moonshot-v1-128k"}) &&
           all_of<family::gemini>({"gemini-2.5-flash", "gemini", "google/gemma-3-27b-it", "gemma3", "gemma-4-31b-it"});
}
static_assert(names_show_their_family());

constexpr bool claude_has_two_tokenizers() {
    return all_of<family::claude>({"claude-opus-4-6", "claude-opus-4-6-20260205", "claude-3-opus-20240229",
                                   "claude-4-sonnet", "claude-sonnet-4.6", "claude-2.1", "claude-instant-v1",
                                   "claude-opus-4-20250514"}) &&
           all_of<family::claude_4_7>({"claude-opus-4-7", "claude-opus-4.7", "claude-opus-4-7-20260416",
                                       "claude-sonnet-5", "claude-haiku-5-5", "claude-opus-10", "claude-5-sonnet",
                                       "anthropic/claude-opus-4-8", "us.anthropic.claude-sonnet-5-5",
                                       "claude-opus-5@default"});
}
static_assert(claude_has_two_tokenizers());

constexpr bool a_name_and_its_value_are_one_family() {
    using condense::family_of;
    using condense::model_family;
    for (auto const which : {model_family::other, model_family::claude, model_family::claude_4_7, model_family::gpt,
                             model_family::kimi, model_family::gemini})
        if (condense::name(which).empty() || family_of(condense::name(which)) != which) return false;
    return family_of("bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0") == model_family::claude &&
           family_of("o3") == model_family::gpt && family_of("moonshotai.kimi-k3") == model_family::kimi &&
           family_of("GPT-4o") == model_family::gpt && condense::name(model_family::claude_4_7) == "claude_4_7" &&
           condense::name(family_of("")) == "other" &&
           with_family(model_family::kimi, [](auto tag) { return std::is_same_v<decltype(tag), family::kimi>; });
}
static_assert(a_name_and_its_value_are_one_family());

constexpr bool providers_stand_before_a_slash() {
    return all_of<family::claude>({"anthropic/claude-opus-4", "openrouter/anthropic/claude-3.7-sonnet"}) &&
           all_of<family::gpt>({"openai/gpt-4o", "azure/o3"}) && all_of<family::gemini>({"models/gemini-2.5-pro"}) &&
           all_of<family::other>({"claude/", "gpt-4o/my-finetune"});
}
static_assert(providers_stand_before_a_slash());

/// case-180: never a match on a mere prefix.
constexpr bool anything_else_is_other() {
    return all_of<family::other>({"", "/", "claudette", "gpting", "geminis", "gemmae", "kimiko", "o", "o0", "o1x",
                                  "o10", "oracle", "llama-3", "my-gpt"});
}
static_assert(anything_else_is_other());

constexpr bool what_the_visitor_gives_is_given() {
    int value = 3;
    auto& same = with_family("gpt-4o", [&](auto) -> int& { return value; });
    same = 5;
    return value == 5;
}
static_assert(what_the_visitor_gives_is_given());

}  // namespace

TEST_CASE("family: model names") {
    CHECK(names_show_their_family());
    CHECK(claude_has_two_tokenizers());
    CHECK(a_name_and_its_value_are_one_family());
    CHECK(providers_stand_before_a_slash());
    CHECK(anything_else_is_other());
    CHECK(what_the_visitor_gives_is_given());
}
