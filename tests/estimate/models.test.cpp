// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/models.hpp>

#include <initializer_list>
#include <type_traits>

#include <condense/estimate/char_ratio.hpp>

#include "support/catch.hpp"
#include "support/repetition.hpp"

// Models by name: the names that providers make of them, the table, and the look-up.

namespace {

using namespace condense::literals;
using condense::find_model, condense::model_family, condense::model_match, condense::reasoning_use;
using condense::detail::bare, condense::detail::date_behind, condense::detail::model_aliases,
    condense::detail::model_table, condense::detail::same_name;

// Names

constexpr bool is(std::string_view given, std::string_view name, bool listed = true) {
    auto const found = bare(given);
    return found.name == name && found.listed == listed;
}

constexpr bool what_providers_add_is_taken_off() {
    return is("gpt-4o", "gpt-4o") && is("", "") && is("anthropic/claude-opus-4-5", "claude-opus-4-5") &&
           is("openrouter/anthropic/claude-opus-4.5", "claude-opus-4.5") && is("OpenAI/gpt-4o", "gpt-4o") &&
           is("publishers/google/models/gemini-2.5-pro", "gemini-2.5-pro") &&
           is("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929") &&
           is("anthropic.claude-opus-4-6-v1", "claude-opus-4-6") &&
           is("us-gov.anthropic.claude-opus-5", "claude-opus-5") &&
           is("bedrock/eu.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5-20251101") &&
           is("openai.gpt-oss-120b-1:0", "gpt-oss-120b") &&
           is("mistral.mistral-large-2407-v1:0", "mistral-large-2407") &&
           is("claude-opus-4-5@20251101", "claude-opus-4-5") && is("vertex_ai/claude-opus-5@default", "claude-opus-5");
}

constexpr bool nothing_else_is() {
    return is("someone/gpt-4o", "gpt-4o", false) && is("/gpt-4o", "gpt-4o", false) && is("gpt-4o/", "", false) &&
           is("xx.anthropic.claude-opus-5", "xx.anthropic.claude-opus-5") &&
           is("us.someone.gpt-4o", "us.someone.gpt-4o") && is("gpt-4.1", "gpt-4.1") &&
           is("claude-opus-4-5@2025", "claude-opus-4-5@2025") && is("claude-v1", "claude-v1") &&
           is("anthropic.claude-3-sonnet-20240229-v1:0:28k", "claude-3-sonnet-20240229-v1:0:28k") &&
           is("anthropic.claude-2-v", "claude-2-v");
}

constexpr bool a_dot_between_digits_is_a_hyphen() {
    return same_name("claude-opus-4.5", "claude-opus-4-5") && same_name("GPT-4O", "gpt-4o") && same_name("", "") &&
           !same_name("gpt-4o", "gpt-4o-") && !same_name("gpt.4o", "gpt-4o") && !same_name("a.b", "a-b") &&
           !same_name("1.", "1-");
}

constexpr bool dates_are_real_ones() {
    for (std::string_view const none :
         {"gpt-4o", "x-20251301", "x-20250032", "x-19991231", "x-2024-5-13", "gpt-4-0613", "-20251101", "x20251101"})
        if (date_behind(none) != "") return false;
    return date_behind("claude-opus-4-5-20251101") == "-20251101" && date_behind("gpt-4o-2024-05-13") == "-2024-05-13";
}

// Look-up

constexpr bool finds(std::string_view given, std::string_view name, model_match match = model_match::exact) {
    auto const found = find_model(given);
    return found.facts.name == name && found.match == match && found.known();
}

constexpr bool names_are_found_as_they_are_written() {
    return finds("claude-opus-4-5", "claude-opus-4-5") && finds("gpt-4o", "gpt-4o") &&
           finds("anthropic/claude-opus-4-5", "claude-opus-4-5") &&
           finds("openrouter/anthropic/claude-opus-4.5", "claude-opus-4-5") &&
           finds("us.anthropic.claude-sonnet-5-5", "claude-sonnet-5-5") &&
           finds("vertex_ai/claude-opus-4-5@20251101", "claude-opus-4-5") &&
           finds("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct");
}

constexpr bool aliases_and_snapshots_are_found() {
    return finds("claude-opus-4", "claude-opus-4-0", model_match::alias) &&
           finds("mistral-large-latest", "mistral-large-2512", model_match::alias) &&
           finds("us.meta.llama3-3-70b-instruct-v1:0", "llama-3.3-70b-instruct", model_match::alias) &&
           finds("claude-opus-4-5-20251101", "claude-opus-4-5", model_match::snapshot) &&
           finds("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", model_match::snapshot) &&
           finds("claude-opus-4-20250514", "claude-opus-4-0", model_match::snapshot) &&
           finds("gpt-5-mini-2025-08-07", "gpt-5-mini", model_match::snapshot) &&
           finds("gpt-4o-2024-05-13", "gpt-4o-2024-05-13") &&
           find_model("gpt-4o-2024-05-13").facts.output == 4'096_tokens;
}

constexpr bool nothing_is_found_by_a_part_of_its_name() {
    for (std::string_view const name :
         {"", "/", "gpt", "gpt-4o-", "gpt-4omni", "claude", "claude-opus-4-5-thinking", "my-gpt-4o", "someone/gpt-4o",
          "gpt-4o/my-finetune", "gemini-2.5-flash-preview-04-17", "qwen-plus-2025-01-25", "claude-opus-4-5-20259999",
          "anthropic.claude-3-haiku-20240307-v1:0:48k"}) {
        auto const found = find_model(name);
        if (found.known() || !found.facts.name.empty() || found.facts.window != condense::default_window ||
            found.facts.price)
            return false;
    }
    return true;
}

constexpr bool an_unknown_model_keeps_its_family() {
    return find_model("claude-opus-9-1").facts.family == model_family::claude_4_7 &&
           find_model("someone/gpt-9").facts.family == model_family::gpt &&
           find_model("nothing").facts.family == model_family::other;
}

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
           !is_expensive(five) && !condense::model_facts_date.empty() &&
           with_family(find_model("us.anthropic.claude-opus-4-8").facts.family,
                       [](auto tag) { return std::is_same_v<decltype(tag), condense::family::claude_4_7>; });
}

}  // namespace

TEST_CASE("models: what is around a name, look-up and facts") {
    CHECK_TWICE(what_providers_add_is_taken_off());
    CHECK_TWICE(nothing_else_is());
    CHECK_TWICE(a_dot_between_digits_is_a_hyphen());
    CHECK_TWICE(dates_are_real_ones());
    CHECK_TWICE(names_are_found_as_they_are_written());
    CHECK_TWICE(aliases_and_snapshots_are_found());
    CHECK_TWICE(nothing_is_found_by_a_part_of_its_name());
    CHECK_TWICE(an_unknown_model_keeps_its_family());
    CHECK_TWICE(the_facts_are_those_of_the_model());
}

TEST_CASE("models: hostile names cost what they are long") {
    for (std::string const piece : {"/", ".", "-", "@", ":", "9", "anthropic/", "us.", "\xFF", "a"}) {
        auto name = repeated(piece, 1'000'000);
        name[name.size() / 2] = 0;
        CHECK(bare(name).name.size() <= name.size());
        CHECK(same_name(name, name));
        static_cast<void>(date_behind(name));
    }
}

TEST_CASE("models: every row of the table holds together, and the families are there") {
    bool seen[6] = {};
    for (auto const& each : model_table) {
        CAPTURE(each.name);
        seen[static_cast<int>(each.family)] = true;
        CHECK(each.window >= 8'000_tokens);
        CHECK(each.window <= 10'000'000_tokens);
        CHECK(each.output <= each.window);
        CHECK((each.input == 0_tokens || (each.input < each.window && each.window - each.input <= each.output)));
        CHECK(each.image <= condense::cost::of(10'000_tokens));
        CHECK(bare(each.name).name == each.name);
        if (!each.price) continue;
        CHECK(each.price->cached <= each.price->input);
        CHECK(each.price->written >= each.price->input);
        CHECK(each.price->output >= each.price->input);
        CHECK(each.price->input > condense::price{});
    }
    for (bool const one : seen) CHECK(one);
}

TEST_CASE("models: a name is in the table once") {
    for (auto const& each : model_table) {
        int found = 0;
        for (auto const& other : model_table) found += same_name(each.name, other.name) ? 1 : 0;
        for (auto const& alias : model_aliases) found += same_name(each.name, alias.name) ? 1 : 0;
        CAPTURE(each.name);
        CHECK(found == 1);
    }
    for (auto const& alias : model_aliases) {
        int found = 0, same = 0;
        for (auto const& each : model_table) found += each.name == alias.target ? 1 : 0;
        for (auto const& other : model_aliases) same += same_name(alias.name, other.name) ? 1 : 0;
        CAPTURE(alias.name);
        CHECK(found == 1);
        CHECK(same == 1);
    }
}

TEST_CASE("models: whether a model takes its reasoning back is known of those that never reason or always may",
          "[row-C12]") {
    auto const are = [](reasoning_use wanted, std::initializer_list<std::string_view> names) {
        for (auto const name : names) {
            CAPTURE(name);
            bool found = false;
            for (auto const& each : model_table) found = found || (each.name == name && each.reasoning == wanted);
            CHECK(found);
        }
    };
    are(reasoning_use::takes_back,
        {"claude-opus-4-5", "claude-sonnet-5-5", "claude-3-7-sonnet", "gpt-5", "gpt-6.1-sol", "gpt-oss-20b", "o1",
         "o3-mini", "gemini-2.5-flash-lite", "gemini-3-pro-preview", "kimi-k2-thinking", "deepseek-reasoner"});
    are(reasoning_use::none, {"claude-3-5-sonnet", "claude-3-haiku", "gpt-4o", "gpt-4o-2024-05-13", "gpt-4.1-mini",
                              "gpt-4-turbo", "gpt-3.5-turbo", "gemini-1.5-pro", "gemini-2.0-flash", "gemma-3-27b-it",
                              "llama-3.3-70b-instruct", "kimi-k2-0905-preview"});
    are(reasoning_use::unknown,
        {"gpt-5-chat-latest", "gemma-4-31b-it", "deepseek-chat", "qwen-plus", "mistral-large-2512", "kimi-k3"});
}

TEST_CASE("models: every name of the table finds its row") {
    for (auto const& each : model_table) {
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
    for (auto const& alias : model_aliases) CHECK(find_model(alias.name).facts.name == alias.target);
}

// A model and its budget

namespace {

using namespace condense::literals;
using condense::budget, condense::budget_for, condense::model;

constexpr bool a_tenth_is_kept_for_the_answer() {
    model const usual{.window = 200'000_tokens, .output = 64'000_tokens};
    return budget_for(usual) == budget{.window = 200'000_tokens, .output = 20'000_tokens} &&
           budget_for(usual, 11'000_tokens, 30'000_tokens) == budget{200'000_tokens, 30'000_tokens, 11'000_tokens} &&
           budget_for(usual, {}, 0_tokens).output == 0_tokens;
}

constexpr bool the_models_own_limits_hold() {
    model const terse{.window = 128'000_tokens, .output = 4'096_tokens};
    model const split{.window = 400'000_tokens, .input = 272'000_tokens, .output = 128'000_tokens};
    return budget_for(terse).output == 4'096_tokens && budget_for(terse, {}, 100'000_tokens).output == 4'096_tokens &&
           budget_for(split).input() == 272'000_tokens && budget_for(split, {}, 1_tokens).input() == 272'000_tokens;
}

constexpr bool nothing_known_is_a_default() {
    model const none;
    condense::found_model const found;
    return none.window == 128'000_tokens && !found.known() && budget_for(found) == budget_for(none) &&
           budget_for(none).input() == 115'200_tokens && condense::name(found.match) == "unknown" &&
           condense::name(condense::model_match::snapshot) == "snapshot";
}

constexpr bool any_figures_are_harmless() {
    constexpr std::uint64_t figures[] = {
        0, 1, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}};
    for (auto const window : figures)
        for (auto const input : figures)
            for (auto const output : figures) {
                model const odd{.window = {window}, .input = {input}, .output = {output}};
                for (auto const asked : figures)
                    if (budget_for(odd, {}, condense::tokens{asked}).input().count > window) return false;
                if (budget_for(odd).input().count > window) return false;
            }
    return true;
}

constexpr bool a_missing_price_is_no_error() {
    model dear{.price = condense::prices{.input = 10_per_million}};
    return is_expensive(dear) && !is_expensive(model{}) && !is_expensive(dear, 11_per_million) &&
           is_expensive(dear, 0_per_million) && !is_expensive(model{}, 0_per_million);
}

}  // namespace

TEST_CASE("model: budgets and prices") {
    CHECK_TWICE(a_tenth_is_kept_for_the_answer());
    CHECK_TWICE(the_models_own_limits_hold());
    CHECK_TWICE(nothing_known_is_a_default());
    CHECK_TWICE(any_figures_are_harmless());
    CHECK_TWICE(a_missing_price_is_no_error());
}

// Families

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

}  // namespace

TEST_CASE("family: model names") {
    CHECK_TWICE(names_show_their_family());
    CHECK_TWICE(anything_else_is_other());
    CHECK_TWICE(what_the_visitor_gives_is_given());
}

TEST_CASE("models: only those of the table that bind no reasoning may keep it behind a change") {
    for (auto const* const name : {"claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-fable-5-1",
                                   "claude-mythos-5-1", "anthropic/claude-opus-5-5", "claude-opus-7", "nobody-knows"})
        CHECK(find_model(name).facts.bound == condense::bound_parts::leave);
    for (auto const* const name :
         {"claude-sonnet-5", "claude-fable-5", "claude-opus-4-8", "claude-3-7-sonnet", "gpt-5"})
        CHECK(find_model(name).facts.bound == condense::bound_parts::stay);
}

TEST_CASE("models: which reasoning has to come back, and what a cache holds at the least") {
    using condense::reasoning_wanted;
    auto const are = [](reasoning_wanted wanted, condense::tokens least,
                        std::initializer_list<std::string_view> names) {
        for (auto const name : names) {
            CAPTURE(name);
            auto const facts = find_model(name).facts;
            CHECK((facts.wanted == wanted && facts.cache_least == least));
        }
    };
    are(reasoning_wanted::open_round, 512_tokens, {"claude-opus-5-5", "claude-opus-5", "claude-fable-5"});
    are(reasoning_wanted::open_round, 1'024_tokens, {"claude-sonnet-5", "claude-opus-4-8", "gpt-4o"});
    are(reasoning_wanted::open_round, 2'048_tokens, {"claude-opus-4-7", "claude-3-5-haiku", "gemini-2.0-flash"});
    are(reasoning_wanted::open_round, 4'096_tokens, {"claude-opus-4-5", "claude-haiku-4-5"});
    are(reasoning_wanted::turn, 4'096_tokens, {"gemini-3-pro-preview", "gemini-4-argon"});
    are(reasoning_wanted::turn, 1'024_tokens, {"gpt-oss-20b"});
    are(reasoning_wanted::calls, {}, {"kimi-k3", "kimi-k2-thinking"});
    are(reasoning_wanted::turns_with_calls, {}, {"deepseek-v4-pro", "deepseek-reasoner"});
    are(reasoning_wanted::all, 1'024_tokens, {"gpt-6.1-sol", "o3", "qwen3.8-max", "gpt-5-chat-latest"});
    are(reasoning_wanted::all, {}, {"mistral-large-4", "nobody-knows"});
    CHECK(condense::budget_for(find_model("claude-haiku-4-5")).images == condense::images{100});
    CHECK(condense::budget_for(find_model("claude-opus-5-5")).images == condense::images{600});
    CHECK(find_model("claude-opus-5-5").facts.bytes == condense::bytes{30'000'000});
    CHECK((condense::budget_for(find_model("gpt-5")) == condense::budget{{400'000}, {128'000}}));
}
