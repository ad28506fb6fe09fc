// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/trigger.hpp>

#include <initializer_list>
#include <limits>

#include <condense/core/pipeline.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/sliding_window.hpp>

#include "core/constant.hpp"

namespace {

using namespace condense::literals;
using condense::always, condense::at_turn, condense::headroom, condense::measure, condense::percent, condense::usage,
    condense::used;
using condense::detail::conflicts;

constexpr usage at(std::uint64_t tokens, std::uint64_t input, std::uint64_t cached = 0) {
    return {.tokens = {tokens}, .input = {input}, .cached = {cached}};
}
constexpr usage messages(std::uint64_t count) { return {.messages = {count}}; }
constexpr auto most = ~std::uint64_t{0};

/// Whether a trigger's own target is reached.
constexpr bool done(auto const& when, usage const& now) { return when.target().bind(now.input)(now); }

static_assert(condense::condition<decltype(used >= 65_pct)> && condense::condition<decltype(used > 100_messages)>);
static_assert((used >= (70_pct).of(100_messages)) == (used >= 70_messages));
static_assert(condense::condition<decltype(headroom < 5_tokens)> && condense::condition<condense::trigger>);
static_assert(condense::condition<decltype(used >= 65_pct && (used > 3_turns || headroom < 1_pct))>);
static_assert(!condense::condition<condense::percent> && !condense::condition<condense::target>);

/// Against exact fractions.
bool shares_are_exact() {
    for (std::uint64_t input = 0; input < 20; ++input)
        for (std::uint32_t const share : {1u, 250u, 3'333u, 5'000u, 6'501u, 9'999u, 10'000u})
            for (std::uint64_t count = 0; count <= input + 1; ++count) {
                auto const now = at(count, input);
                auto const exact = [&](auto const& what, std::uint64_t value) {
                    auto const left = value * 10'000;
                    auto const right = input * share;
                    return (what >= percent{share}).due(now) == (left >= right) &&
                           (what > percent{share}).due(now) == (left > right) &&
                           (what <= percent{share}).due(now) == (left <= right) &&
                           (what < percent{share}).due(now) == (left < right);
                };
                if (!exact(used, count) || (count <= input && !exact(headroom, input - count))) return false;
            }
    return true;
}

/// Whatever they compare, triggers are values of one type, and so are layers with them.
constexpr bool triggers_are_chosen_as_values() {
    using condense::trigger;
    trigger const choices[] = {used >= 50_pct, headroom < 10_tokens || used > 3_turns, always, trigger{}};
    int fired = 0;
    for (auto const& when : choices) fired += when.due(at(95, 100)) ? 1 : 0;
    return fired == 3 && std::same_as<decltype(condense::sliding_window{.when = used >= 50_pct}),
                                      decltype(condense::sliding_window{.when = always, .until = used <= 1_turns})>;
}

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

constexpr bool any_figures_are_harmless() {
    for (auto const input : figures_of_any_size)
        for (auto const count : figures_of_any_size) {
            auto const now = at(count, input);
            if ((used >= 100_pct).due(now) != (count >= input)) return false;
            if ((used > condense::tokens{input}).due(now) != (count > input)) return false;
            if ((headroom <= 0_tokens).due(now) != (count >= input)) return false;
            if (count != 0 && !(used >= condense::tokens{count}).due(now)) return false;
            if (!(used <= condense::messages{input}).due(now)) return false;
        }
    return (used >= condense::tokens{most}).target().bind({}).one().limit == most / 2;
}

TEST_CASE("trigger: operators, shares and headroom") {
    // Operators mean what is written. case-136
    CHECK_CONSTANT(!(used >= 85_pct).due(at(849, 1'000)) && (used >= 85_pct).due(at(850, 1'000)) &&
                   !(used > 85_pct).due(at(850, 1'000)) && (used > 85_pct).due(at(851, 1'000)) &&
                   (used <= 85_pct).due(at(850, 1'000)) && !(used <= 85_pct).due(at(851, 1'000)) &&
                   (used < 85_pct).due(at(849, 1'000)) && !(used < 85_pct).due(at(850, 1'000)) &&
                   (used > 100_messages).due(messages(101)) && !(used > 100_messages).due(messages(100)) &&
                   (used >= 20_turns).due({.turns = {20}}) && !(used >= 20_turns).due({.turns = {19}}) &&
                   (used >= 10_tokens).due(at(10, 0)) && !(used >= 10_tokens).due(at(9, 0)));
    CHECK(shares_are_exact());
    CHECK_CONSTANT((headroom < 20_tokens).due(at(81, 100)) && !(headroom < 20_tokens).due(at(80, 100)) &&
                   (headroom <= 20_tokens).due(at(80, 100)) && (headroom < 20_tokens).due(at(900, 100)) &&
                   (headroom >= 20_tokens).due(at(80, 100)) && !(headroom > 20_tokens).due(at(80, 100)));
    CHECK_CONSTANT(any_figures_are_harmless());
}

TEST_CASE("trigger: joined conditions, measures and targets") {
    // Conditions join.
    constexpr auto both = used >= 50_tokens && used > 3_messages;
    constexpr auto one = used >= 50_tokens || used > 3_messages;
    constexpr usage neither{.tokens = {49}, .messages = {3}};
    constexpr usage first{.tokens = {50}, .messages = {3}};
    constexpr usage second{.tokens = {49}, .messages = {4}};
    constexpr usage full{.tokens = {50}, .messages = {4}};
    CHECK_CONSTANT(!both.due(neither) && !both.due(first) && !both.due(second) && both.due(full) && !one.due(neither) &&
                   one.due(first) && one.due(second) && one.due(full) && one.bind({})(first) && !both.bind({})(first));
    CHECK_CONSTANT(four_conditions_join());
    CHECK_CONSTANT(triggers_are_chosen_as_values());
    CHECK((one.fired({.tokens = {50}}) == measure::token_count && one.fired({}) == measure::none));
    CHECK(one.fired({.messages = {4}}) == measure::message_count);
    CHECK(one.fired({.tokens = {50}, .messages = {4}}) == (measure::token_count | measure::message_count));
    CHECK((always.fired({}) == measure::any && (used > 1_turns).fired({.turns = {2}}) == measure::turn_count));
    auto const large = used > 50_images || used > 9_bytes;
    CHECK(large.fired({.images = {51}}) == measure::image_count);
    CHECK(large.fired({.images = {51}, .bytes = {10}}) == (measure::image_count | measure::byte_count));
    CHECK_FALSE(large.due({.images = {50}, .bytes = {9}}));
    CHECK((done(large, {.images = {40}, .bytes = {7}}) && !done(large, {.images = {41}, .bytes = {7}})));
    CHECK_CONSTANT((headroom < 5_tokens).fired(at(98, 100)) == measure::token_count &&
                   (used >= 50_pct).fired(at(49, 100)) == measure::none);
    // The default target is half of a limit in tokens, and four fifths of others.
    CHECK_CONSTANT(done(used >= 50_pct, at(25, 100)) && !done(used >= 50_pct, at(26, 100)) &&
                   done(used > 100_messages, messages(80)) && !done(used > 100_messages, messages(81)) &&
                   done(used >= 10_turns, {.turns = {8}}) && !done(used >= 10_turns, {.turns = {9}}) &&
                   done(headroom < 20_tokens, at(40, 100)) && !done(headroom < 20_tokens, at(41, 100)) &&
                   !done(always, at(0, 100)));
    // The beginning of a turn is no measure of what is done: the rest of the expression decides that.
    constexpr usage begins{.tokens = {60}, .input = {100}, .begins_turn = true};
    constexpr auto waits = (at_turn && used >= 50_pct) || used >= 90_pct;
    CHECK_CONSTANT(at_turn.due(begins) && !at_turn.due(at(60, 100)) && waits.due(begins) && !waits.due(at(89, 100)) &&
                   waits.due(at(90, 100)) && done(waits, at(25, 100)) && !done(waits, begins));
    CHECK(waits.text() == "((at_turn && used >= 50 %) || used >= 90 %)");
    // Either side of a && will do, a || needs both.
    usage const few_tokens{.tokens = {25}, .messages = {10}};
    usage const few{.tokens = {25}, .messages = {8}};
    auto const all_of = used >= 50_tokens && used >= 10_messages;
    auto const one_of = used >= 50_tokens || used >= 10_messages;
    CHECK((done(all_of, few_tokens) && !done(one_of, few_tokens) && done(one_of, few) && done(all_of, few)));
    CHECK_CONSTANT(
        (used > 100_messages).message_limit() == 100_messages && (used > 100_tokens).message_limit() == 0_messages &&
        (used >= 50_pct || used > 100_messages).message_limit() == 100_messages &&
        (used > 70_messages && used >= 50_pct).message_limit() == 70_messages && always.message_limit() == 0_messages);
}

TEST_CASE("trigger: targets are below their trigger, and leave more headroom") {
    CHECK_CONSTANT(!conflicts(used >= 80_pct, used <= 79_pct) && conflicts(used >= 80_pct, used <= 80_pct) &&
                   conflicts(used >= 80_pct, used <= 81_pct) && !conflicts(used >= 80_pct, used < 80_pct) &&
                   !conflicts(used > 80_pct, used <= 80_pct) && conflicts(used > 80_messages, used <= 81_messages) &&
           // Of another quantity it cannot be known.
                   !conflicts(used >= 80_pct, used <= 1'000'000_tokens) &&
                   !conflicts(used >= 80_pct, used <= 90_messages));
    // Targets fall and triggers rise.
    CHECK_CONSTANT(conflicts(used >= 80_pct, used >= 70_pct) && conflicts(used <= 80_pct, used <= 70_pct) &&
                   conflicts(used >= 80_pct, used > 70_pct));
    // Joined targets are checked, too.
    constexpr auto one = used >= 80_pct || used > 100_messages;
    constexpr auto both = used >= 80_pct && used > 100_messages;
    CHECK_CONSTANT(conflicts(one, used <= 90_pct) && conflicts(one, used <= 110_messages) &&
                   !conflicts(one, used <= 70_pct) && !conflicts(both, used <= 90_pct) &&
                   conflicts(used >= 80_pct, used <= 90_pct || used <= 10_messages) &&
                   !conflicts(used >= 80_pct, used <= 90_pct && used <= 10_messages) &&
                   conflicts(one, used <= 90_pct || used <= 70_messages) &&
                   !conflicts(one, used <= 70_pct && used <= 70_messages) &&
                   !conflicts(both, used <= 90_pct && used <= 70_messages));
    CHECK_CONSTANT(conflicts(headroom < 20_tokens, headroom >= 10_tokens) &&
                   conflicts(headroom < 20_pct, headroom > 10_pct) &&
                   conflicts(headroom < 20_tokens, headroom < 30_tokens) &&
                   !conflicts(headroom < 20_tokens, headroom >= 30_tokens));
}

TEST_CASE("trigger: prints itself, values compare, and limits that cannot work are rejected") {
    CHECK(((used >= 65_pct).text() == "used >= 65 %" && (used > 0.5_pct).text() == "used > 0.50 %"));
    CHECK((used < 99.05_pct).text() == "used < 99.05 %");
    CHECK((used <= 20'000_tokens).text() == "used <= 20,000 tokens");
    CHECK((used > 100_messages && headroom < 3_tokens).text() == "(used > 100 messages && headroom < 3 tokens)");
    CHECK((used > 3_turns || always).text() == "(used > 3 turns || always)");
    CHECK((used > 50_images || used > 30_MB).text() == "(used > 50 images || used > 30,000,000 bytes)");
    CHECK((used > 3_turns && (always || used < 1_turns)).text() == "(used > 3 turns && (always || used < 1 turns))");
    CHECK(always.target().text() == "never");
    CHECK((used > 100_messages && headroom < 3_tokens).target().text() ==
          "(used <= 80 messages || used <= 50 % beside headroom < 3 tokens)");
    CHECK(((used >= 65_pct) == (used >= 65_pct) && !((used >= 65_pct) == (used >= 66_pct))));
    CHECK((used >= 65_pct && always) == (used >= 65_pct && always));
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

using condense::relaxed;

/// The least use at which it fires; 0 where it never does.
std::uint64_t fires_at(auto const& when, std::uint64_t input, std::uint64_t cached) {
    for (std::uint64_t count = 1; count <= 2 * input; ++count)
        if (when.due(at(count, input, cached))) return count;
    return 0;
}

static_assert(condense::condition<decltype(relaxed(used >= 65_pct, 10_pct))>);
static_assert(condense::condition<decltype(relaxed(used > 120'000_tokens, 10_pct) && used > 3_turns)>);

/// Shares are added exactly, not each rounded for itself.
bool shares_are_those_of_the_sum() {
    for (std::uint64_t input = 0; input < 20; ++input)
        for (std::uint32_t const share : {1u, 3'333u, 6'501u, 9'000u})
            for (std::uint32_t const by : {0u, 1u, 799u, 3'298u})
                for (std::uint64_t count = 0; count <= input + 1; ++count) {
                    auto const sum = share + by < 9'800 ? share + by : 9'800;
                    auto const now = at(count, input, 1);
                    percent const least{share}, more{by};
                    if (relaxed(used >= least, more).due(now) != (count * 10'000 >= input * sum)) return false;
                    if (relaxed(used > least, more).due(now) != (count * 10'000 > input * sum)) return false;
                }
    return true;
}

constexpr bool a_bound_condition_is_the_same() {
    for (std::uint64_t const input : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{1'000}, most})
        for (std::uint64_t const count :
             {std::uint64_t{0}, std::uint64_t{6}, std::uint64_t{850}, std::uint64_t{940}, most})
            for (std::uint64_t const cached : {std::uint64_t{0}, most}) {
                auto const now = at(count, input, cached);
                auto const share = relaxed(used >= 85_pct, 10_pct);
                auto const figure = relaxed(used > 850_tokens, 10_pct);
                if (share.bind(now.input)(now) != share.due(now) || figure.bind(now.input)(now) != figure.due(now))
                    return false;
                if (share.fired(now) != (share.due(now) ? measure::token_count : measure::none)) return false;
            }
    return true;
}

constexpr bool a_pipeline_waits_with_it() {
    condense::pipeline const mix{condense::compress{.when = relaxed(used >= 65_pct, 10_pct)},
                                 condense::sliding_window{.when = relaxed(used > 900_tokens, 5_pct) && used > 3_turns}};
    auto const turns = [](usage now) {
        now.turns = {4};
        return now;
    };
    return mix.due(at(650, 1'000)) && !mix.due(at(649, 1'000)) && !mix.due(at(749, 1'000, 1)) &&
           mix.due(at(750, 1'000, 1)) && mix.due(turns(at(951, 1'000, 1)));
}

TEST_CASE("relaxed: waits while the cache is in use, up to a ceiling") {  // case-138
    constexpr auto when = relaxed(used >= 85_pct, 10_pct);
    CHECK_CONSTANT(!when.due(at(900, 1'000, 1)) && when.due(at(950, 1'000, 1)) && !when.due(at(949, 1'000, 500)) &&
                   !when.due(at(849, 1'000)) && when.due(at(850, 1'000)));
    CHECK((fires_at(relaxed(used >= 85_pct, 30_pct), 1'000, 1) == 980 &&
           fires_at(relaxed(used >= 85_pct, 30_pct), 1'000, 0) == 850));
    // Tokens are raised by a share of the input.
    CHECK((fires_at(relaxed(used >= 850_tokens, 10_pct), 1'000, 1) == 950 &&
           fires_at(relaxed(used >= 850_tokens, 10_pct), 1'000, 0) == 850 &&
           fires_at(relaxed(used > 850_tokens, 10_pct), 1'000, 1) == 951 &&
           fires_at(relaxed(used >= 850_tokens, 30_pct), 1'000, 1) == 980 &&
           fires_at(relaxed(used > 850_tokens, 30_pct), 1'000, 1) == 981 &&
           // Never past a small input.
           fires_at(relaxed(used >= 850_tokens, 10_pct), 500, 1) == 850));
    // A limit above the ceiling stays.
    CHECK((fires_at(relaxed(used >= 99_pct, 10_pct), 1'000, 1) == 990 &&
           fires_at(relaxed(used >= 990_tokens, 10_pct), 1'000, 1) == 990 &&
           fires_at(relaxed(used >= 98_pct, 10_pct), 1'000, 1) == 980 &&
           fires_at(relaxed(used >= 60_pct, 30_pct, 70_pct), 1'000, 1) == 700 &&
           fires_at(relaxed(used >= 80_pct, 30_pct, 70_pct), 1'000, 1) == 800 &&
           fires_at(relaxed(used >= 85_pct, 0_pct), 1'000, 1) == 850));
    CHECK(shares_are_those_of_the_sum());
    // Figures of any size are harmless.
    constexpr auto late = relaxed(used >= condense::tokens{most}, 100_pct, 100_pct);
    CHECK_CONSTANT(late.due(at(most, most, 1)) && !late.due(at(most - 1, most, 1)) && late.due(at(most, 0, 1)) &&
                   relaxed(used >= 65_pct, 10_pct).due(at(most, most, 1)) &&
                   relaxed(used >= 1_tokens, 10_pct).due(at(1, 0, 1)));
}

TEST_CASE("relaxed: is a trigger as others are") {
    CHECK_CONSTANT(a_bound_condition_is_the_same());
    // It joins others.
    constexpr auto one = relaxed(used >= 65_pct, 10_pct) || used > 5_messages;
    constexpr auto both = relaxed(used >= 65_pct, 10_pct) && used > 5_messages;
    constexpr usage cached{.tokens = {700}, .input = {1'000}, .messages = {6}, .cached = {1}};
    constexpr usage plain{.tokens = {700}, .input = {1'000}, .messages = {6}};
    CHECK_CONSTANT(one.due(cached) && one.fired(cached) == measure::message_count &&
                   one.fired(plain) == (measure::message_count | measure::token_count) && !both.due(cached) &&
                   both.due(plain) && !both.bind(cached.input)(cached) && both.bind(plain.input)(plain) &&
                   one.message_limit() == 5_messages);
    // The target is that of the trigger within, else the cache would decide how much a reduction takes out.
    constexpr auto target = relaxed(used >= 50_pct, 10_pct).target();
    CHECK_CONSTANT(target == (used >= 50_pct).target() && target.bind({100})(at(25, 100, 1)) &&
                   !target.bind({100})(at(26, 100, 1)));
    constexpr auto when = relaxed(used >= 80_pct, 10_pct);
    CHECK_CONSTANT(conflicts(when, used <= 80_pct) && conflicts(when, used <= 85_pct) &&
                   !conflicts(when, used <= 79_pct) && conflicts(when || used > 100_messages, used <= 85_pct) &&
                   conflicts(when || used > 100_messages, used <= 110_messages) &&
                   !conflicts(when || used > 100_messages, used <= 70_pct) &&
                   !conflicts(when && used > 100_messages, used <= 85_pct) &&
                   conflicts(when, used <= 85_pct || used <= 10_messages) && !conflicts(when, used <= 90'000_tokens) &&
           // It rises, so it is no target.
                   conflicts(used >= 90_pct, relaxed(used >= 50_pct, 10_pct)) &&
                   conflicts(when, relaxed(used >= 50_pct, 10_pct)));
    CHECK(a_pipeline_waits_with_it());
}

TEST_CASE("relaxed: prints itself, compares, and rejects limits that cannot work") {
    CHECK(relaxed(used >= 65_pct, 10_pct).text() == "relaxed(used >= 65 %, 10 %, 98 %)");
    CHECK((relaxed(used > 9'000_tokens, 2.5_pct, 90_pct) || always).text() ==
          "(relaxed(used > 9,000 tokens, 2.50 %, 90 %) || always)");
    CHECK(relaxed(used >= 65_pct, 10_pct) == relaxed(used >= 65_pct, 10_pct, 98_pct));
    CHECK_FALSE(relaxed(used >= 65_pct, 10_pct) == relaxed(used >= 65_pct, 11_pct));
    CHECK_FALSE(relaxed(used >= 65_pct, 10_pct) == relaxed(used >= 66_pct, 10_pct));
    CHECK_THROWS_AS(relaxed(used >= 65_pct, 101_pct), condense::invalid_configuration);
    CHECK_THROWS_AS(relaxed(used >= 65_pct, 10_pct, 0_pct), condense::invalid_configuration);
    CHECK_THROWS_AS(relaxed(used >= 65_pct, 10_pct, 100.01_pct), condense::invalid_configuration);
    CHECK_NOTHROW(relaxed(used >= 65_pct, 100_pct, 100_pct));
    auto const made = [](auto until) {
        return condense::pipeline{condense::compress{.when = relaxed(used >= 65_pct, 10_pct), .until = until}};
    };
    CHECK_THROWS_AS(made(used <= 70_pct), condense::invalid_configuration);
    CHECK_NOTHROW(made(used <= 60_pct));
}

}  // namespace
