// SPDX-License-Identifier: BSL-1.0
#include <condense/core/usage.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::budget;
using condense::measure;
using condense::usage;

constexpr bool the_input_is_the_window_less_the_output() {
    return budget{.window = 200'000_tokens, .output = 20'000_tokens}.input() == 180'000_tokens &&
           budget{.window = 10_tokens, .output = 20_tokens}.input() == 0_tokens &&
           // What is kept outside the messages is used, it does not make the input smaller.
           budget{.window = 100_tokens, .overhead = 30_tokens}.input() == 100_tokens;
}
static_assert(the_input_is_the_window_less_the_output());

constexpr bool a_request_that_fills_the_input_fits() {
    return usage{.tokens = 100_tokens, .input = 100_tokens}.fits() &&
           !usage{.tokens = 101_tokens, .input = 100_tokens}.fits() &&
           usage{.tokens = 40_tokens, .input = 100_tokens}.headroom() == 60_tokens &&
           usage{.tokens = 101_tokens, .input = 100_tokens}.headroom() == 0_tokens && usage{}.fits();
}
static_assert(a_request_that_fills_the_input_fits());

/// What is cached is sent all the same.
constexpr bool cached_tokens_take_room() {
    usage const now{.tokens = 101_tokens, .input = 100_tokens, .cached = 90_tokens};
    return !now.fits() && now.headroom() == 0_tokens && usage{}.cached == 0_tokens &&
           now != usage{.tokens = 101_tokens, .input = 100_tokens};
}
static_assert(cached_tokens_take_room());

constexpr bool figures_of_any_size_are_harmless() {
    for (auto const one : {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63,
                           std::numeric_limits<std::uint64_t>::max()})
        for (auto const other : {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()}) {
            auto const less = one < other ? 0 : one - other;
            if (budget{.window = {one}, .output = {other}}.input().count != less) return false;
            if (usage{.tokens = {other}, .input = {one}}.headroom().count != less) return false;
            if (usage{.tokens = {other}, .input = {one}}.fits() != (other <= one)) return false;
        }
    return true;
}
static_assert(figures_of_any_size_are_harmless());

constexpr bool measures_are_a_set() {
    auto const both = measure::message_count | measure::turn_count;
    return (both & measure::message_count) && (both & measure::turn_count) && !(both & measure::token_count) &&
           !(measure::none & measure::any) && (measure::any & measure::token_count) &&
           (both | measure::token_count) == measure::any;
}
static_assert(measures_are_a_set());

}  // namespace

TEST_CASE("usage: budgets, headroom and measures") {
    CHECK(the_input_is_the_window_less_the_output());
    CHECK(a_request_that_fills_the_input_fits());
    CHECK(cached_tokens_take_room());
    CHECK(figures_of_any_size_are_harmless());
    CHECK(measures_are_a_set());
}
