// SPDX-License-Identifier: BSL-1.0
#include <condense/session/turn_tracker.hpp>

#include <initializer_list>
#include <limits>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::instant;
using condense::tokens;
using condense::turn_cost;
using condense::turn_tracker;
using condense::usage;

constexpr tokens most{std::numeric_limits<std::uint64_t>::max()};
constexpr instant tenth{100'000'000};
constexpr usage with_room(std::uint64_t room) { return {.tokens = 100_tokens, .input = {100 + room}}; }

/// Turns that came to these contexts, with an output of one token each.
turn_tracker after(std::initializer_list<std::uint64_t> contexts) {
    turn_tracker seen;
    for (auto const context : contexts) {
        seen.begin_turn();
        seen.add({.input = {context - 1}, .output = 1_tokens});
    }
    return seen;
}

}  // namespace

TEST_CASE("turn_tracker: a turn is the sum of its requests") {
    turn_tracker seen;
    seen.begin_turn();
    seen.add({.input = 100_tokens, .output = 10_tokens}, tenth);
    seen.add({.input = 20_tokens, .output = 5_tokens, .cache_read = 90_tokens, .cache_write = 10_tokens}, tenth);
    seen.begin_turn();
    seen.add({.input = 140_tokens, .output = 1_tokens});
    CHECK(seen.turns == 2);
    turn_cost const first{220_tokens, 15_tokens, 125_tokens, {200'000'000}, 2};
    CHECK(seen.newest(1) == first);
    CHECK(seen.newest() == turn_cost{.input = 140_tokens, .output = 1_tokens, .context = 141_tokens, .requests = 1});
    CHECK(seen.newest(1).total() == 235_tokens);
    CHECK((seen.total() == 376_tokens && seen.input == 360_tokens && seen.output == 16_tokens));
    CHECK((seen.time == instant{200'000'000} && seen.average() == 188_tokens));
}

TEST_CASE("turn_tracker: what is not reported is estimated, and a turn without an answer does not count") {
    turn_tracker seen;
    condense::provider_usage const estimate{.input = 70_tokens, .output = 7_tokens};
    seen.add({.input = 100_tokens, .output = 10_tokens}, {}, estimate);
    CHECK((!seen.newest().estimated && seen.newest().context == 110_tokens));
    seen.begin_turn();
    seen.add({.output = 9_tokens}, {}, estimate);  // an answer to nothing: no report
    seen.add({.input = 70_tokens, .output = 7_tokens});
    CHECK((seen.newest().estimated && seen.newest().context == 77_tokens));
    CHECK((seen.input == 240_tokens && seen.output == 24_tokens));
    seen.begin_turn();
    seen.add({.input = 100_tokens});
    CHECK((!seen.newest().estimated && seen.newest(1).estimated));

    seen = {};
    seen.begin_turn();
    seen.begin_turn();
    CHECK((seen == turn_tracker{} && seen.turns == 0 && seen.average() == 0_tokens && seen.recent() == 0));
    seen.add({.input = 1_tokens});
    seen.begin_turn();
    seen.begin_turn();
    seen.add({.input = 1_tokens});
    CHECK(seen.turns == 2);
}

TEST_CASE("turn_tracker: the newest turns are kept") {
    turn_tracker seen;
    for (std::uint64_t turn = 1; turn <= 100; ++turn) {
        seen.begin_turn();
        seen.add({.input = {turn}});
        CHECK((seen.newest().input.count == turn && seen.recent() == (turn < 32 ? turn : 32)));
    }
    for (std::uint64_t back = 0; back < 32; ++back) CHECK(seen.newest(back).input.count == 100 - back);
    CHECK((seen.turns == 100 && seen.input == 5'050_tokens && seen.average() == 50_tokens));
}

TEST_CASE("turn_tracker: figures of any size are harmless") {
    turn_tracker seen{.turns = most.count, .input = most, .output = most, .time = {most.count}};
    for (int answer = 0; answer < 70; ++answer) {
        if (answer % 2 == 0) seen.begin_turn();
        seen.add({most, most, most, most}, {most.count}, {});
    }
    CHECK((seen.turns == most.count && seen.total() == most && seen.average() == 1_tokens));
    CHECK(seen.newest().input == most);
    turn_tracker grown;
    grown.add({.input = 1_tokens});
    grown.begin_turn();
    grown.add({.input = most});
    CHECK(grown.turns_left({.input = most}) == 1u);
    // As no tracker leaves it, but a damaged file may.
    turn_tracker broken{.under_way = true};
    broken.add({.input = 1_tokens});
    CHECK((broken.turns == 1 && broken.newest().input == 1_tokens));
}

TEST_CASE("turn_tracker: the turns left are the headroom by the mean growth") {
    CHECK(after({100, 200, 300}).turns_left(with_room(1'000)) == 10u);
    CHECK(after({100, 200, 400}).turns_left(with_room(1'000)) == 6u);
    CHECK(after({100, 200, 300}).turns_left(with_room(99)) == 0u);
    CHECK(after({100, 200}).turns_left({.tokens = 9_tokens, .input = 5_tokens}) == 0u);
    CHECK(after({100, 101, 103}).turns_left(with_room(30)) == 20u);  // a mean growth of 3 / 2
    // The growth after a reduction counts, the reduction does not.
    CHECK(after({100, 300, 50, 250}).turns_left(with_room(1'000)) == 5u);
    CHECK(after({100, 300, 300}).turns_left(with_room(1'000)) == 5u);
}

TEST_CASE("turn_tracker: without growth nothing is known") {
    auto mixed = after({100});
    mixed.begin_turn();
    mixed.add({}, {}, {.input = 200_tokens});  // by another measure
    turn_tracker unknown;
    unknown.add({});
    unknown.begin_turn();
    unknown.add({}, {}, {.input = 200_tokens});
    for (auto const& seen : {turn_tracker{}, after({100}), after({100, 100}), after({300, 200, 100}), mixed, unknown})
        CHECK_FALSE(seen.turns_left(with_room(9)));
}

TEST_CASE("turn_tracker: only turns that are kept are compared, the oldest of them with none") {
    turn_tracker seen;
    for (std::uint64_t turn = 1; turn <= 40; ++turn) {
        seen.begin_turn();
        seen.add({.input = {turn <= 8 ? turn * 1'000'000 : 9'000'000 + turn}});
    }
    CHECK(seen.turns_left(with_room(31)) == 31u);
    seen.begin_turn();
    seen.add({.input = 1_tokens});
    CHECK(seen.turns_left(with_room(31)) == 31u);
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
    turn_tracker read{seen.ring, seen.turns, seen.input, seen.output, seen.time, seen.under_way};
    CHECK(read == seen);
    read.begin_turn();
    CHECK_FALSE(read == seen);
}
