// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/models.hpp>

#include <string>
#include <string_view>
#include <type_traits>

#include <condense/estimate/char_ratio.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::find_model;
using condense::model_family;
using condense::model_match;

constexpr bool finds(std::string_view given, std::string_view name, model_match match) {
    auto const found = find_model(given);
    return found.facts.name == name && found.match == match && found.known();
}

constexpr bool names_are_found_as_they_are_written() {
    return finds("claude-opus-4-5", "claude-opus-4-5", model_match::exact) &&
           finds("gpt-4o", "gpt-4o", model_match::exact) &&
           finds("anthropic/claude-opus-4-5", "claude-opus-4-5", model_match::exact) &&
           finds("openrouter/anthropic/claude-opus-4.5", "claude-opus-4-5", model_match::exact) &&
           finds("us.anthropic.claude-sonnet-5-5", "claude-sonnet-5-5", model_match::exact) &&
           finds("vertex_ai/claude-opus-4-5@20251101", "claude-opus-4-5", model_match::exact) &&
           finds("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct", model_match::exact);
}
static_assert(names_are_found_as_they_are_written());

constexpr bool aliases_and_snapshots_are_found() {
    return finds("claude-opus-4", "claude-opus-4-0", model_match::alias) &&
           finds("mistral-large-latest", "mistral-large-2512", model_match::alias) &&
           finds("us.meta.llama3-3-70b-instruct-v1:0", "llama-3.3-70b-instruct", model_match::alias) &&
           finds("claude-opus-4-5-20251101", "claude-opus-4-5", model_match::snapshot) &&
           finds("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", model_match::snapshot) &&
           finds("claude-opus-4-20250514", "claude-opus-4-0", model_match::snapshot) &&
           finds("gpt-5-mini-2025-08-07", "gpt-5-mini", model_match::snapshot) &&
           finds("gpt-4o-2024-05-13", "gpt-4o-2024-05-13", model_match::exact) &&
           find_model("gpt-4o-2024-05-13").facts.output == 4'096_tokens;
}
static_assert(aliases_and_snapshots_are_found());

constexpr bool is_unknown(std::string_view name) {
    auto const found = find_model(name);
    return !found.known() && found.facts.name.empty() && found.facts.window == condense::default_window &&
           !found.facts.price;
}

constexpr bool nothing_is_found_by_a_part_of_its_name() {
    return is_unknown("") && is_unknown("/") && is_unknown("gpt") && is_unknown("gpt-4o-") && is_unknown("gpt-4omni") &&
           is_unknown("claude") && is_unknown("claude-opus-4-5-thinking") && is_unknown("my-gpt-4o") &&
           is_unknown("someone/gpt-4o") && is_unknown("gpt-4o/my-finetune") &&
           is_unknown("gemini-2.5-flash-preview-04-17") && is_unknown("qwen-plus-2025-01-25") &&
           is_unknown("claude-opus-4-5-20259999") && is_unknown("anthropic.claude-3-haiku-20240307-v1:0:48k");
}
static_assert(nothing_is_found_by_a_part_of_its_name());

constexpr bool an_unknown_model_keeps_its_family() {
    return find_model("claude-opus-9-1").facts.family == model_family::claude_4_7 &&
           find_model("someone/gpt-9").facts.family == model_family::gpt &&
           find_model("nothing").facts.family == model_family::other;
}
static_assert(an_unknown_model_keeps_its_family());

constexpr bool the_facts_are_those_of_the_model() {
    auto const opus = find_model("claude-opus-4-5").facts;
    auto const five = find_model("gpt-5").facts;
    return opus.window == 200'000_tokens && opus.output == 64'000_tokens && opus.family == model_family::claude &&
           opus.price &&
           *opus.price == condense::prices{5_per_million, 0.5_per_million, 6.25_per_million, 25_per_million} &&
           opus.image == condense::cost::of(1'600_tokens) &&
           find_model("claude-opus-4-7").facts.family == model_family::claude_4_7 &&
           budget_for(find_model("gpt-5")).input() == 272'000_tokens && five.tokenizer == "o200k_base" &&
           find_model("gpt-4").facts.tokenizer == "cl100k_base" && is_expensive(find_model("claude-fable-5-1").facts) &&
           !is_expensive(five) && !condense::model_facts_date.empty();
}
static_assert(the_facts_are_those_of_the_model());

constexpr bool a_family_becomes_a_type_from_the_facts() {
    return with_family(find_model("us.anthropic.claude-opus-4-8").facts.family,
                       [](auto tag) { return std::is_same_v<decltype(tag), condense::family::claude_4_7>; });
}
static_assert(a_family_becomes_a_type_from_the_facts());

}  // namespace

TEST_CASE("models: look-up") {
    CHECK(names_are_found_as_they_are_written());
    CHECK(aliases_and_snapshots_are_found());
    CHECK(nothing_is_found_by_a_part_of_its_name());
    CHECK(an_unknown_model_keeps_its_family());
}
TEST_CASE("models: facts") {
    CHECK(the_facts_are_those_of_the_model());
    CHECK(a_family_becomes_a_type_from_the_facts());
}

TEST_CASE("models: every name of the table finds its row") {
    for (auto const& each : condense::detail::model_table) {
        auto const found = find_model(each.name);
        CAPTURE(each.name);
        CHECK(found.facts == each);
        CHECK(found.match == model_match::exact);
        for (std::size_t size = 0; size < each.name.size(); ++size) {
            auto const part = each.name.substr(0, size);
            auto const of_part = find_model(part);
            CHECK((!of_part.known() || condense::detail::find_in_table(part) != nullptr ||
                   of_part.match == model_match::alias));
        }
        CHECK_FALSE(find_model(std::string{each.name} + "x").facts == each);
    }
    for (auto const& alias : condense::detail::model_aliases) CHECK(find_model(alias.name).facts.name == alias.target);
}
