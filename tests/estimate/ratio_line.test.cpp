// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/ratio_line.hpp>

#include <cstdint>

#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::request_count;
using condense::detail::fixed_one;
using condense::detail::ratio_line;

constexpr request_count sum(std::uint64_t counted, std::uint64_t messages) {
    return {.counted = cost::of({counted}), .messages = messages};
}

constexpr bool it_begins_at_the_prior_within_its_bounds() {
    ratio_line const none;
    return none.level(0) == 0 && none.level(9'999) == 9'999 && none.level(5 * fixed_one) == ratio_line::most_log &&
           none.level(-5 * fixed_one) == ratio_line::least_log && none.slope() == 0 && none.observations() == 0 &&
           none.spread() == ratio_line::first_spread && none.corrected(sum(1'000, 7), fixed_one) == cost::of({2'000});
}
static_assert(it_begins_at_the_prior_within_its_bounds());

/// Requests that are all alike say nothing of messages: the ratio has it all.
constexpr bool without_a_difference_there_is_no_slope() {
    ratio_line line;
    for (int turn = 0; turn < 100; ++turn) line.learn(sum(50'000, 500), {55'000}, 0);
    return line.slope() == 0 && line.corrected(sum(50'000, 500), 0).tokens().count >= 54'800;
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
    return line.slope() > 950 && line.slope() < 1'060 && steep.slope() == ratio_line::most_slope &&
           falling.slope() == 0;
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

/// What was taken for granted weighs as much as four requests, what is older as much as 64.
constexpr bool the_spread_follows_what_is_new() {
    ratio_line line;
    auto const is = [&](std::int64_t percent_of_first) {
        auto const wanted = ratio_line::first_spread * percent_of_first / 100;
        return line.spread() > wanted - 150 && line.spread() < wanted + 150;
    };
    for (int turn = 0; turn < 4; ++turn) line.learn(sum(50'000, 200), {50'000}, 0);
    bool good = is(71);  // half the variance
    for (int turn = 0; turn < 56; ++turn) line.learn(sum(50'000, 200), {50'000}, 0);
    good = good && is(25);  // a sixteenth
    for (int turn = 0; turn < 40; ++turn) line.learn(sum(50'000, 200), {50'000}, 0);
    return good && line.spread() == 65'536 / 35;  // 2 %, as a logarithm to base 2
}
static_assert(the_spread_follows_what_is_new());

constexpr bool the_first_eight_are_no_outliers() {
    ratio_line early;
    ratio_line late;
    for (int turn = 0; turn < 7; ++turn) early.learn(sum(50'000, 200), {50'000}, 0);
    for (int turn = 0; turn < 8; ++turn) late.learn(sum(50'000, 200), {50'000}, 0);
    early.learn(sum(50'000, 200), {150'000}, 0);
    late.learn(sum(50'000, 200), {150'000}, 0);
    return early.observations() == 8 && early.level(0) > 5'000 && late.observations() == 8 && late.level(0) < 500;
}
static_assert(the_first_eight_are_no_outliers());

constexpr bool what_is_put_on_top_is_on_messages_too() {
    ratio_line line;
    for (std::uint64_t turn = 0; turn < 100; ++turn) {
        auto const messages = 100 + turn % 5 * 300;
        line.learn(sum(50'000, messages), {50'000 + 4 * messages}, 0);
    }
    auto const some = sum(1'000, 1'000);
    auto const once = line.corrected(some, 0).steps;
    auto const twice = line.corrected(some, 0, fixed_one).steps;
    return once > cost::of({4'500}).steps && twice + 999 > 2 * once && twice < 2 * once + 999;
}
static_assert(what_is_put_on_top_is_on_messages_too());

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
    CHECK(the_spread_follows_what_is_new());
    CHECK(the_first_eight_are_no_outliers());
    CHECK(what_is_put_on_top_is_on_messages_too());
    CHECK(nothing_is_learnt_from_nothing());
}
