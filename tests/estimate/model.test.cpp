// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/model.hpp>

#include "support/catch.hpp"

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

static_assert(a_tenth_is_kept_for_the_answer() && the_models_own_limits_hold() && nothing_known_is_a_default() &&
              any_figures_are_harmless() && a_missing_price_is_no_error());

}  // namespace

TEST_CASE("model: budgets") {
    CHECK(a_tenth_is_kept_for_the_answer());
    CHECK(the_models_own_limits_hold());
    CHECK(nothing_known_is_a_default());
    CHECK(any_figures_are_harmless());
}
TEST_CASE("model: prices") { CHECK(a_missing_price_is_no_error()); }
