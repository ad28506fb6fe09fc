// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/ratio_line.hpp>

#include <cstdint>

#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::counted_sum;
using condense::detail::fixed_one;
using condense::detail::ratio_line;

constexpr counted_sum sum(std::uint64_t counted, std::uint64_t messages) { return {.counted = cost::of({counted}), .messages = messages}; }

constexpr bool it_begins_at_the_prior_within_its_bounds() {
    ratio_line const none;
    return none.level(0) == 0 && none.level(9'999) == 9'999 && none.level(5 * fixed_one) == ratio_line::most_log &&
           none.level(-5 * fixed_one) == ratio_line::least_log && none.slope() == 0 && none.seen() == 0 &&
           none.spread() == ratio_line::first_spread && none.said(sum(1'000, 7), fixed_one) == cost::of({2'000});
}
static_assert(it_begins_at_the_prior_within_its_bounds());

/// Requests that are all alike say nothing of messages: the ratio has it all.
constexpr bool without_a_difference_there_is_no_slope() {
    ratio_line line;
    for (int turn = 0; turn < 100; ++turn) line.learn(sum(50'000, 500), {55'000}, 0);
    return line.slope() == 0 && line.said(sum(50'000, 500), 0).tokens().count >= 54'800;
}
static_assert(without_a_difference_there_is_no_slope());

constexpr bool a_slope_is_found_and_held() {
    ratio_line line;
    ratio_line steep;
    ratio_line falling;
    for (std::uint64_t turn = 0; turn < 100; ++turn) {
        auto const messages = 100 + turn % 5 * 300;
        line.learn(sum(50'000, messages), {50'000 + 4 * messages}, 0);
        steep.learn(sum(20'000, messages / 10), {20'000 + 90 * (messages / 10)}, 0);
        falling.learn(sum(50'000, messages), {50'000 - 4 * messages}, 0);
    }
    return line.slope() > 950 && line.slope() < 1'060 && steep.slope() == ratio_line::most_slope && falling.slope() == 0;
}
static_assert(a_slope_is_found_and_held());

bool the_spread_is_that_of_the_reports() {
    ratio_line calm;
    ratio_line wild;
    for (std::uint64_t turn = 0; turn < 300; ++turn) {
        calm.learn(sum(50'000, 200), {50'000}, 0);
        wild.learn(sum(50'000, 200), {turn % 2 == 0 ? 45'000u : 55'000u}, 0);
    }
    return calm.spread() == ratio_line::least_spread && wild.spread() > 8'500 && wild.spread() < 10'500;
}
// At run time alone: too many steps for a constant expression of clang.

constexpr bool nothing_is_learnt_from_nothing() {
    ratio_line line;
    line.learn({}, {100}, 0);
    line.learn(sum(100, 1), {}, 0);
    return line == ratio_line{};
}
static_assert(nothing_is_learnt_from_nothing());

}  // namespace

TEST_CASE("ratio_line: ratio, slope and spread") {
    CHECK(it_begins_at_the_prior_within_its_bounds());
    CHECK(without_a_difference_there_is_no_slope());
    CHECK(a_slope_is_found_and_held());
    CHECK(the_spread_is_that_of_the_reports());
    CHECK(nothing_is_learnt_from_nothing());
}
