// SPDX-License-Identifier: BSL-1.0
#include <condense/session/turn_tracker.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::instant;
using condense::provider_usage;
using condense::tokens;
using condense::turn_cost;
using condense::turn_tracker;
using condense::usage;

constexpr tokens most{std::numeric_limits<std::uint64_t>::max()};
constexpr instant tenth{100'000'000};

/// Turns that came to these contexts, with an output of one token each.
constexpr turn_tracker after(std::initializer_list<std::uint64_t> contexts) {
    turn_tracker seen;
    for (auto const context : contexts) {
        seen.begin_turn();
        seen.add({.input = {context - 1}, .output = 1_tokens});
    }
    return seen;
}

constexpr usage with_room(std::uint64_t room) { return {.tokens = 100_tokens, .input = {100 + room}}; }

constexpr bool a_turn_is_the_sum_of_its_requests() {
    turn_tracker seen;
    seen.begin_turn();
    seen.add({.input = 100_tokens, .output = 10_tokens}, tenth);
    seen.add({.input = 20_tokens, .output = 5_tokens, .cache_read = 90_tokens, .cache_write = 10_tokens}, tenth);
    seen.begin_turn();
    seen.add({.input = 140_tokens, .output = 1_tokens});
    return seen.turns == 2 &&
           seen.newest(1) == turn_cost{.input = 220_tokens,
                                       .output = 15_tokens,
                                       .context = 125_tokens,
                                       .time = {200'000'000},
                                       .requests = 2} &&
           seen.newest() == turn_cost{.input = 140_tokens, .output = 1_tokens, .context = 141_tokens, .requests = 1} &&
           seen.newest(1).total() == 235_tokens && seen.total() == 376_tokens && seen.input == 360_tokens &&
           seen.output == 16_tokens && seen.time == instant{200'000'000} && seen.average() == 188_tokens;
}
static_assert(a_turn_is_the_sum_of_its_requests());

constexpr bool what_is_not_reported_is_estimated() {
    turn_tracker seen;
    provider_usage const estimate{.input = 70_tokens, .output = 7_tokens};
    seen.add({.input = 100_tokens, .output = 10_tokens}, {}, estimate);
    bool const told = !seen.newest().estimated && seen.newest().context == 110_tokens;
    seen.begin_turn();
    seen.add({.output = 9_tokens}, {}, estimate);  // an answer to nothing: no report
    seen.add({.input = 70_tokens, .output = 7_tokens});
    bool const flagged = seen.newest().estimated && seen.newest().context == 77_tokens && seen.input == 240_tokens &&
                         seen.output == 24_tokens;
    seen.begin_turn();
    seen.add({.input = 100_tokens});
    return told && flagged && !seen.newest().estimated && seen.newest(1).estimated;
}
static_assert(what_is_not_reported_is_estimated());

constexpr bool a_turn_without_an_answer_does_not_count() {
    turn_tracker seen;
    seen.begin_turn();
    seen.begin_turn();
    bool const none = seen == turn_tracker{} && seen.turns == 0 && seen.average() == 0_tokens && seen.recent() == 0;
    seen.add({.input = 1_tokens});
    seen.begin_turn();
    seen.begin_turn();
    seen.add({.input = 1_tokens});
    return none && seen.turns == 2;
}
static_assert(a_turn_without_an_answer_does_not_count());

constexpr bool the_newest_turns_are_kept() {
    turn_tracker seen;
    for (std::uint64_t turn = 1; turn <= 100; ++turn) {
        seen.begin_turn();
        seen.add({.input = {turn}});
        if (seen.newest().input.count != turn || seen.recent() != (turn < 32 ? turn : 32)) return false;
    }
    for (std::uint64_t back = 0; back < 32; ++back)
        if (seen.newest(back).input.count != 100 - back) return false;
    return seen.turns == 100 && seen.input == 5'050_tokens && seen.average() == 50_tokens;
}
static_assert(the_newest_turns_are_kept());

constexpr bool turns_left_are_headroom_by_mean_growth() {
    return after({100, 200, 300}).turns_left(with_room(1'000)) == 10u &&
           after({100, 200, 400}).turns_left(with_room(1'000)) == 6u &&
           after({100, 200, 300}).turns_left(with_room(99)) == 0u &&
           after({100, 200}).turns_left({.tokens = 9_tokens, .input = 5_tokens}) == 0u &&
           // A mean growth of 3 / 2.
           after({100, 101, 103}).turns_left(with_room(30)) == 20u;
}
static_assert(turns_left_are_headroom_by_mean_growth());

/// The growth after a reduction counts, the reduction does not.
constexpr bool a_turn_that_shrank_does_not_count() {
    return after({100, 300, 50, 250}).turns_left(with_room(1'000)) == 5u &&
           after({100, 300, 300}).turns_left(with_room(1'000)) == 5u;
}
static_assert(a_turn_that_shrank_does_not_count());

constexpr bool without_growth_nothing_is_known() {
    auto mixed = after({100});
    mixed.begin_turn();
    mixed.add({}, {}, {.input = 200_tokens});  // by another measure
    auto unknown = turn_tracker{};
    unknown.add({});
    unknown.begin_turn();
    unknown.add({}, {}, {.input = 200_tokens});
    return !turn_tracker{}.turns_left(with_room(9)) && !after({100}).turns_left(with_room(9)) &&
           !after({100, 100}).turns_left(with_room(9)) && !after({300, 200, 100}).turns_left(with_room(9)) &&
           !mixed.turns_left(with_room(9)) && !unknown.turns_left(with_room(9));
}
static_assert(without_growth_nothing_is_known());

/// Only turns that are kept are compared: the oldest of them with none.
constexpr bool growth_is_that_of_the_turns_kept() {
    turn_tracker seen;
    for (std::uint64_t turn = 1; turn <= 40; ++turn) {
        seen.begin_turn();
        seen.add({.input = {turn <= 8 ? turn * 1'000'000 : 9'000'000 + turn}});
    }
    if (seen.turns_left(with_room(31)) != 31u) return false;
    seen.begin_turn();
    seen.add({.input = 1_tokens});
    return seen.turns_left(with_room(31)) == 31u;
}
static_assert(growth_is_that_of_the_turns_kept());

constexpr bool figures_of_any_size_are_harmless() {
    turn_tracker seen{.turns = most.count, .input = most, .output = most, .time = {most.count}};
    for (int answer = 0; answer < 70; ++answer) {
        if (answer % 2 == 0) seen.begin_turn();
        seen.add({most, most, most, most}, {most.count}, {});
    }
    if (seen.turns != most.count || seen.total() != most || seen.average() != 1_tokens || seen.newest().input != most)
        return false;
    turn_tracker grown;
    grown.add({.input = 1_tokens});
    grown.begin_turn();
    grown.add({.input = most});
    if (grown.turns_left({.input = most}) != 1u) return false;
    // As no tracker leaves it, but a damaged file may.
    turn_tracker broken{.under_way = true};
    broken.add({.input = 1_tokens});
    return broken.turns == 1 && broken.newest().input == 1_tokens;
}
static_assert(figures_of_any_size_are_harmless());

}  // namespace

TEST_CASE("turn_tracker: turns, totals and averages") {
    CHECK(a_turn_is_the_sum_of_its_requests());
    CHECK(what_is_not_reported_is_estimated());
    CHECK(a_turn_without_an_answer_does_not_count());
    CHECK(the_newest_turns_are_kept());
    CHECK(figures_of_any_size_are_harmless());
}

TEST_CASE("turn_tracker: turns left") {
    CHECK(turns_left_are_headroom_by_mean_growth());
    CHECK(a_turn_that_shrank_does_not_count());
    CHECK(without_growth_nothing_is_known());
    CHECK(growth_is_that_of_the_turns_kept());
}

TEST_CASE("turn_tracker: a line for each turn") {
    turn_tracker seen{.turns = 11, .input = 33'000_tokens, .output = 534_tokens};
    CHECK(turn_tracker{}.line() == "no turn yet");
    seen.begin_turn();
    seen.add({.input = 3'456_tokens, .output = 210_tokens}, {1'290'000'000});
    CHECK(seen.line() == "turn 12: 3,456 in, 210 out, 3,666 total, 1.2 s; average 3,100");
    seen.begin_turn();
    seen.add({}, {}, {.input = 5_tokens, .output = 1_tokens});
    CHECK(seen.line() == "turn 13: 5 in, 1 out, 6 total (estimated); average 2,862");
    turn_tracker all{.turns = most.count - 1};
    all.add({most, most, most, most}, {most.count});
    CHECK(all.line().size() < 200);
}

TEST_CASE("turn_tracker: what is saved is what it is") {
    auto const seen = after({100, 200, 300});
    turn_tracker read{.ring = seen.ring,
                      .turns = seen.turns,
                      .input = seen.input,
                      .output = seen.output,
                      .time = seen.time,
                      .under_way = seen.under_way};
    CHECK(read == seen);
    read.begin_turn();
    CHECK_FALSE(read == seen);
}
