// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/trigger.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <condense/layer/sliding_window.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::always;
using condense::headroom;
using condense::measure;
using condense::percent;
using condense::usage;
using condense::used;
using condense::detail::conflicts;

constexpr usage at(std::uint64_t tokens, std::uint64_t input) { return {.tokens = {tokens}, .input = {input}}; }
constexpr usage messages(std::uint64_t count) { return {.messages = {count}}; }

static_assert(condense::condition<decltype(used >= 65_pct)> && condense::condition<decltype(used > 100_messages)>);
static_assert((used >= (70_pct).of(100_messages)) == (used >= 70_messages));
static_assert(condense::condition<decltype(headroom < 5_tokens)> && condense::condition<condense::trigger>);
static_assert(condense::condition<decltype(used >= 65_pct && (used > 3_turns || headroom < 1_pct))>);
static_assert(!condense::condition<condense::percent> && !condense::condition<condense::target>);

/// case-136
constexpr bool operators_mean_what_is_written() {
    return !(used >= 85_pct).due(at(849, 1'000)) && (used >= 85_pct).due(at(850, 1'000)) &&
           !(used > 85_pct).due(at(850, 1'000)) && (used > 85_pct).due(at(851, 1'000)) &&
           (used <= 85_pct).due(at(850, 1'000)) && !(used <= 85_pct).due(at(851, 1'000)) &&
           (used < 85_pct).due(at(849, 1'000)) && !(used < 85_pct).due(at(850, 1'000)) &&
           (used > 100_messages).due(messages(101)) && !(used > 100_messages).due(messages(100)) &&
           (used >= 20_turns).due({.turns = {20}}) && !(used >= 20_turns).due({.turns = {19}}) &&
           (used >= 10_tokens).due(at(10, 0)) && !(used >= 10_tokens).due(at(9, 0));
}
static_assert(operators_mean_what_is_written());

/// Against exact fractions.
constexpr bool shares_of_what_is_used_are_exact() {
    for (std::uint64_t input = 0; input < 20; ++input)
        for (std::uint32_t const share : {1u, 250u, 3'333u, 5'000u, 6'501u, 9'999u, 10'000u})
            for (std::uint64_t count = 0; count <= input + 1; ++count) {
                auto const left = count * 10'000;
                auto const right = input * share;
                auto const now = at(count, input);
                if ((used >= percent{share}).due(now) != (left >= right)) return false;
                if ((used > percent{share}).due(now) != (left > right)) return false;
                if ((used <= percent{share}).due(now) != (left <= right)) return false;
                if ((used < percent{share}).due(now) != (left < right)) return false;
            }
    return true;
}
static_assert(shares_of_what_is_used_are_exact());

constexpr bool shares_of_the_headroom_are_exact() {
    for (std::uint64_t input = 0; input < 20; ++input)
        for (std::uint32_t const share : {1u, 250u, 3'333u, 5'000u, 6'501u, 9'999u, 10'000u})
            for (std::uint64_t count = 0; count <= input; ++count) {
                auto const left = (input - count) * 10'000;
                auto const right = input * share;
                auto const now = at(count, input);
                if ((headroom >= percent{share}).due(now) != (left >= right)) return false;
                if ((headroom > percent{share}).due(now) != (left > right)) return false;
                if ((headroom <= percent{share}).due(now) != (left <= right)) return false;
                if ((headroom < percent{share}).due(now) != (left < right)) return false;
            }
    return true;
}

constexpr bool headroom_is_what_is_left() {
    return (headroom < 20_tokens).due(at(81, 100)) && !(headroom < 20_tokens).due(at(80, 100)) &&
           (headroom <= 20_tokens).due(at(80, 100)) && (headroom < 20_tokens).due(at(900, 100)) &&
           (headroom >= 20_tokens).due(at(80, 100)) && !(headroom > 20_tokens).due(at(80, 100));
}
static_assert(headroom_is_what_is_left());

constexpr bool conditions_join() {
    auto const both = used >= 50_tokens && used > 3_messages;
    auto const one = used >= 50_tokens || used > 3_messages;
    usage const neither{.tokens = {49}, .messages = {3}};
    usage const first{.tokens = {50}, .messages = {3}};
    usage const second{.tokens = {49}, .messages = {4}};
    usage const full{.tokens = {50}, .messages = {4}};
    return !both.due(neither) && !both.due(first) && !both.due(second) && both.due(full) && !one.due(neither) &&
           one.due(first) && one.due(second) && one.due(full) && one.bind({})(first) && !both.bind({})(first);
}
static_assert(conditions_join());

constexpr bool what_fired_is_told() {
    auto const one = used >= 50_tokens || used > 3_messages;
    return one.fired({.tokens = {50}}) == measure::token_count &&
           one.fired({.messages = {4}}) == measure::message_count &&
           one.fired({.tokens = {50}, .messages = {4}}) == (measure::token_count | measure::message_count) &&
           one.fired({}) == measure::none && (used > 1_turns).fired({.turns = {2}}) == measure::turn_count &&
           (headroom < 5_tokens).fired(at(98, 100)) == measure::token_count && always.fired({}) == measure::any &&
           (used >= 50_pct).fired(at(49, 100)) == measure::none;
}
static_assert(what_fired_is_told());

constexpr bool the_default_target_is_four_fifths() {
    auto const done = [](auto const& when, usage const& now) { return when.target().bind(now.input)(now); };
    return done(used >= 50_pct, at(40, 100)) && !done(used >= 50_pct, at(41, 100)) &&
           done(used > 100_messages, messages(80)) && !done(used > 100_messages, messages(81)) &&
           done(used >= 10_turns, {.turns = {8}}) && !done(used >= 10_turns, {.turns = {9}}) &&
           done(headroom < 20_tokens, at(64, 100)) && !done(headroom < 20_tokens, at(65, 100)) &&
           !done(always, at(0, 100));
}
static_assert(the_default_target_is_four_fifths());

/// Whatever they compare, triggers are values of one type, and so are layers with them.
constexpr bool triggers_are_chosen_as_values() {
    using condense::trigger;
    trigger const choices[] = {used >= 50_pct, headroom < 10_tokens || used > 3_turns, always, trigger{}};
    int fired = 0;
    for (auto const& when : choices) fired += when.due(at(95, 100)) ? 1 : 0;
    return fired == 3 && std::same_as<decltype(condense::sliding_window{.when = used >= 50_pct}),
                                      decltype(condense::sliding_window{.when = always, .until = used <= 1_turns})>;
}
static_assert(triggers_are_chosen_as_values());

/// In every bracketing, for every combination of what holds.
constexpr bool four_conditions_join() {
    auto const a = used >= 50_tokens;
    auto const b = used > 1_messages;
    auto const c = used > 1_turns;
    auto const d = headroom > 500_tokens;
    for (unsigned bits = 0; bits < 16; ++bits) {
        bool const holds[] = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
        usage const now{.tokens = {holds[0] ? 50u : 49u},
                        .input = {holds[3] ? 1'000u : 100u},
                        .messages = {holds[1] ? 2u : 1u},
                        .turns = {holds[2] ? 2u : 1u}};
        auto const is = [&](condense::trigger const& when, bool expected) {
            return when.due(now) == expected && when.bind(now.input)(now) == expected &&
                   (when.fired(now) != measure::none) == expected;
        };
        if (!is((a && b) || (c && d), (holds[0] && holds[1]) || (holds[2] && holds[3]))) return false;
        if (!is(a && (b || (c && d)), holds[0] && (holds[1] || (holds[2] && holds[3])))) return false;
        if (!is(((a || b) && c) || d, ((holds[0] || holds[1]) && holds[2]) || holds[3])) return false;
        if (!is(a || ((b || c) && d), holds[0] || ((holds[1] || holds[2]) && holds[3]))) return false;
    }
    return true;
}
static_assert(four_conditions_join());

/// Either side of a && will do, a || needs both.
constexpr bool joined_targets_undo_the_trigger() {
    auto const done = [](auto const& when, usage const& now) { return when.target().bind(now.input)(now); };
    auto const both = used >= 50_tokens && used >= 10_messages;
    auto const one = used >= 50_tokens || used >= 10_messages;
    usage const few_tokens{.tokens = {40}, .messages = {10}};
    usage const few{.tokens = {40}, .messages = {8}};
    return done(both, few_tokens) && !done(one, few_tokens) && done(one, few) && done(both, few);
}
static_assert(joined_targets_undo_the_trigger());

constexpr bool the_limit_in_messages_is_found() {
    return (used > 100_messages).message_limit() == 100_messages && (used > 100_tokens).message_limit() == 0_messages &&
           (used >= 50_pct || used > 100_messages).message_limit() == 100_messages &&
           (used > 70_messages && used >= 50_pct).message_limit() == 70_messages &&
           always.message_limit() == 0_messages;
}
static_assert(the_limit_in_messages_is_found());

/// T4
constexpr bool figures_of_any_size_are_harmless() {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    for (auto const input :
         {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63, most})
        for (auto const count :
             {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63, most}) {
            auto const now = at(count, input);
            if ((used >= 100_pct).due(now) != (count >= input)) return false;
            if ((used > condense::tokens{input}).due(now) != (count > input)) return false;
            if ((headroom <= 0_tokens).due(now) != (count >= input)) return false;
            if (count != 0 && !(used >= condense::tokens{count}).due(now)) return false;
            if (!(used <= condense::messages{input}).due(now)) return false;
        }
    return (used >= condense::tokens{most}).target().bind({}).one().limit == most / 5 * 4;
}
static_assert(figures_of_any_size_are_harmless());

// What may be a target

constexpr bool targets_are_below_their_trigger() {
    return !conflicts(used >= 80_pct, used <= 79_pct) && conflicts(used >= 80_pct, used <= 80_pct) &&
           conflicts(used >= 80_pct, used <= 81_pct) && !conflicts(used >= 80_pct, used < 80_pct) &&
           !conflicts(used > 80_pct, used <= 80_pct) && conflicts(used > 80_messages, used <= 81_messages) &&
           // Of another quantity it cannot be known.
           !conflicts(used >= 80_pct, used <= 1'000'000_tokens) && !conflicts(used >= 80_pct, used <= 90_messages);
}
static_assert(targets_are_below_their_trigger());

constexpr bool targets_fall_and_triggers_rise() {
    return conflicts(used >= 80_pct, used >= 70_pct) && conflicts(used <= 80_pct, used <= 70_pct) &&
           conflicts(used >= 80_pct, used > 70_pct);
}
static_assert(targets_fall_and_triggers_rise());

constexpr bool joined_targets_are_checked() {
    auto const one = used >= 80_pct || used > 100_messages;
    auto const both = used >= 80_pct && used > 100_messages;
    return conflicts(one, used <= 90_pct) && conflicts(one, used <= 110_messages) && !conflicts(one, used <= 70_pct) &&
           !conflicts(both, used <= 90_pct) && conflicts(used >= 80_pct, used <= 90_pct || used <= 10_messages) &&
           !conflicts(used >= 80_pct, used <= 90_pct && used <= 10_messages) &&
           conflicts(one, used <= 90_pct || used <= 70_messages) &&
           !conflicts(one, used <= 70_pct && used <= 70_messages) &&
           !conflicts(both, used <= 90_pct && used <= 70_messages);
}
static_assert(joined_targets_are_checked());

}  // namespace

TEST_CASE("trigger: operators, shares and headroom") {
    CHECK(operators_mean_what_is_written());
    CHECK(shares_of_what_is_used_are_exact());
    CHECK(shares_of_the_headroom_are_exact());
    CHECK(headroom_is_what_is_left());
    CHECK(figures_of_any_size_are_harmless());
}

TEST_CASE("trigger: joined conditions, measures and targets") {
    CHECK(conditions_join());
    CHECK(four_conditions_join());
    CHECK(triggers_are_chosen_as_values());
    CHECK(what_fired_is_told());
    CHECK(the_default_target_is_four_fifths());
    CHECK(joined_targets_undo_the_trigger());
    CHECK(the_limit_in_messages_is_found());
}

TEST_CASE("trigger: targets are below their trigger") {
    CHECK(targets_are_below_their_trigger());
    CHECK(targets_fall_and_triggers_rise());
    CHECK(joined_targets_are_checked());
}

TEST_CASE("trigger: a target in headroom leaves more than its trigger") {
    CHECK(conflicts(headroom < 20_tokens, headroom >= 10_tokens));
    CHECK(conflicts(headroom < 20_pct, headroom > 10_pct));
    CHECK(conflicts(headroom < 20_tokens, headroom < 30_tokens));
    CHECK_FALSE(conflicts(headroom < 20_tokens, headroom >= 30_tokens));
}

TEST_CASE("trigger: limits that cannot work are rejected") {
    CHECK_THROWS_AS(used >= 101_pct, condense::invalid_configuration);
    CHECK_THROWS_AS(headroom < 100.01_pct, condense::invalid_configuration);
    CHECK_THROWS_AS(used <= percent{std::numeric_limits<std::uint32_t>::max()}, condense::invalid_configuration);
    CHECK_THROWS_AS(used >= 0_tokens, condense::invalid_configuration);
    CHECK_THROWS_AS(used >= 0_pct, condense::invalid_configuration);
    auto const four = used > 1_tokens || used > 1_messages || used > 1_turns || headroom < 5_pct;
    CHECK_THROWS_AS(four && used > 2_turns, condense::invalid_configuration);
    CHECK_THROWS_AS(used > 2_turns || four, condense::invalid_configuration);
    CHECK_NOTHROW(used > 0_tokens);
    CHECK_NOTHROW(used >= 100_pct);
}

TEST_CASE("trigger: prints itself") {
    CHECK((used >= 65_pct).text() == "used >= 65 %");
    CHECK((used > 0.5_pct).text() == "used > 0.50 %");
    CHECK((used < 99.05_pct).text() == "used < 99.05 %");
    CHECK((used <= 20'000_tokens).text() == "used <= 20,000 tokens");
    CHECK((used > 100_messages && headroom < 3_tokens).text() == "(used > 100 messages && headroom < 3 tokens)");
    CHECK((used > 3_turns || always).text() == "(used > 3 turns || always)");
    CHECK((used > 3_turns && (always || used < 1_turns)).text() == "(used > 3 turns && (always || used < 1 turns))");
    CHECK(always.target().text() == "never");
    CHECK((used > 100_messages && headroom < 3_tokens).target().text() ==
          "(used <= 80 messages || used <= 80 % beside headroom < 3 tokens)");
}

TEST_CASE("trigger: values compare") {
    CHECK((used >= 65_pct) == (used >= 65_pct));
    CHECK_FALSE((used >= 65_pct) == (used >= 66_pct));
    CHECK((used >= 65_pct && always) == (used >= 65_pct && always));
}
