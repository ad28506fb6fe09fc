// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/trigger.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>

#include <condense/core/pipeline.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/sliding_window.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::always;
using condense::measure;
using condense::percent;
using condense::relaxed;
using condense::usage;
using condense::used;
using condense::detail::conflicts;

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

constexpr usage at(std::uint64_t tokens, std::uint64_t input, std::uint64_t cached = 0) {
    return {.tokens = {tokens}, .input = {input}, .cached = {cached}};
}

/// The least use at which it fires; 0 where it never does.
constexpr std::uint64_t fires_at(auto const& when, std::uint64_t input, std::uint64_t cached) {
    for (std::uint64_t count = 1; count <= 2 * input; ++count)
        if (when.due(at(count, input, cached))) return count;
    return 0;
}

static_assert(condense::condition<decltype(relaxed(used >= 65_pct, 10_pct))>);
static_assert(condense::condition<decltype(relaxed(used > 120'000_tokens, 10_pct) && used > 3_turns)>);

/// case-138
constexpr bool it_waits_while_the_cache_is_in_use() {
    auto const when = relaxed(used >= 85_pct, 10_pct);
    return !when.due(at(900, 1'000, 1)) && when.due(at(950, 1'000, 1)) && !when.due(at(949, 1'000, 500)) &&
           !when.due(at(849, 1'000)) && when.due(at(850, 1'000)) &&
           fires_at(relaxed(used >= 85_pct, 30_pct), 1'000, 1) == 980 &&
           fires_at(relaxed(used >= 85_pct, 30_pct), 1'000, 0) == 850;
}
static_assert(it_waits_while_the_cache_is_in_use());

constexpr bool tokens_are_raised_by_a_share_of_the_input() {
    return fires_at(relaxed(used >= 850_tokens, 10_pct), 1'000, 1) == 950 &&
           fires_at(relaxed(used >= 850_tokens, 10_pct), 1'000, 0) == 850 &&
           fires_at(relaxed(used > 850_tokens, 10_pct), 1'000, 1) == 951 &&
           fires_at(relaxed(used >= 850_tokens, 30_pct), 1'000, 1) == 980 &&
           fires_at(relaxed(used > 850_tokens, 30_pct), 1'000, 1) == 981 &&
           // Never past a small input.
           fires_at(relaxed(used >= 850_tokens, 10_pct), 500, 1) == 850;
}
static_assert(tokens_are_raised_by_a_share_of_the_input());

constexpr bool what_is_above_the_ceiling_stays() {
    return fires_at(relaxed(used >= 99_pct, 10_pct), 1'000, 1) == 990 &&
           fires_at(relaxed(used >= 990_tokens, 10_pct), 1'000, 1) == 990 &&
           fires_at(relaxed(used >= 98_pct, 10_pct), 1'000, 1) == 980 &&
           fires_at(relaxed(used >= 60_pct, 30_pct, 70_pct), 1'000, 1) == 700 &&
           fires_at(relaxed(used >= 80_pct, 30_pct, 70_pct), 1'000, 1) == 800 &&
           fires_at(relaxed(used >= 85_pct, 0_pct), 1'000, 1) == 850;
}
static_assert(what_is_above_the_ceiling_stays());

/// Shares are added exactly, not each rounded for itself.
constexpr bool shares_are_those_of_the_sum() {
    for (std::uint64_t input = 0; input < 20; ++input)
        for (std::uint32_t const share : {1u, 3'333u, 6'501u, 9'000u})
            for (std::uint32_t const by : {0u, 1u, 799u, 3'298u})
                for (std::uint64_t count = 0; count <= input + 1; ++count) {
                    auto const sum = share + by < 9'800 ? share + by : 9'800;
                    auto const now = at(count, input, 1);
                    if (relaxed(used >= percent{share}, percent{by}).due(now) != (count * 10'000 >= input * sum))
                        return false;
                    if (relaxed(used > percent{share}, percent{by}).due(now) != (count * 10'000 > input * sum))
                        return false;
                }
    return true;
}
static_assert(shares_are_those_of_the_sum());

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
static_assert(a_bound_condition_is_the_same());

/// T4
constexpr bool figures_of_any_size_are_harmless() {
    auto const late = relaxed(used >= condense::tokens{most}, 100_pct, 100_pct);
    return late.due(at(most, most, 1)) && !late.due(at(most - 1, most, 1)) && late.due(at(most, 0, 1)) &&
           relaxed(used >= 65_pct, 10_pct).due(at(most, most, 1)) && relaxed(used >= 1_tokens, 10_pct).due(at(1, 0, 1));
}
static_assert(figures_of_any_size_are_harmless());

constexpr bool it_joins_others() {
    auto const one = relaxed(used >= 65_pct, 10_pct) || used > 5_messages;
    auto const both = relaxed(used >= 65_pct, 10_pct) && used > 5_messages;
    usage const cached{.tokens = {700}, .input = {1'000}, .messages = {6}, .cached = {1}};
    usage const plain{.tokens = {700}, .input = {1'000}, .messages = {6}};
    return one.due(cached) && one.fired(cached) == measure::message_count &&
           one.fired(plain) == (measure::message_count | measure::token_count) && !both.due(cached) &&
           both.due(plain) && !both.bind(cached.input)(cached) && both.bind(plain.input)(plain) &&
           one.message_limit() == 5_messages;
}
static_assert(it_joins_others());

/// Else the cache would decide how much a reduction takes out.
constexpr bool the_target_is_that_of_the_trigger_within() {
    auto const target = relaxed(used >= 50_pct, 10_pct).target();
    return target == (used >= 50_pct).target() && target.bind({100})(at(40, 100, 1)) &&
           !target.bind({100})(at(41, 100, 1));
}
static_assert(the_target_is_that_of_the_trigger_within());

constexpr bool targets_are_below_the_trigger_within() {
    auto const when = relaxed(used >= 80_pct, 10_pct);
    return conflicts(when, used <= 80_pct) && conflicts(when, used <= 85_pct) && !conflicts(when, used <= 79_pct) &&
           conflicts(when || used > 100_messages, used <= 85_pct) &&
           conflicts(when || used > 100_messages, used <= 110_messages) &&
           !conflicts(when || used > 100_messages, used <= 70_pct) &&
           !conflicts(when && used > 100_messages, used <= 85_pct) &&
           conflicts(when, used <= 85_pct || used <= 10_messages) && !conflicts(when, used <= 90'000_tokens) &&
           // It rises, so it is no target.
           conflicts(used >= 90_pct, relaxed(used >= 50_pct, 10_pct)) &&
           conflicts(when, relaxed(used >= 50_pct, 10_pct));
}
static_assert(targets_are_below_the_trigger_within());

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

}  // namespace

TEST_CASE("relaxed: waits while the cache is in use, up to a ceiling") {
    CHECK(it_waits_while_the_cache_is_in_use());
    CHECK(tokens_are_raised_by_a_share_of_the_input());
    CHECK(what_is_above_the_ceiling_stays());
    CHECK(shares_are_those_of_the_sum());
    CHECK(figures_of_any_size_are_harmless());
}

TEST_CASE("relaxed: is a trigger as others are") {
    CHECK(a_bound_condition_is_the_same());
    CHECK(it_joins_others());
    CHECK(the_target_is_that_of_the_trigger_within());
    CHECK(targets_are_below_the_trigger_within());
    CHECK(a_pipeline_waits_with_it());
}

TEST_CASE("relaxed: limits that cannot work are rejected") {
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

TEST_CASE("relaxed: prints itself and compares") {
    CHECK(relaxed(used >= 65_pct, 10_pct).text() == "relaxed(used >= 65 %, 10 %, 98 %)");
    CHECK((relaxed(used > 9'000_tokens, 2.5_pct, 90_pct) || always).text() ==
          "(relaxed(used > 9,000 tokens, 2.50 %, 90 %) || always)");
    CHECK(relaxed(used >= 65_pct, 10_pct) == relaxed(used >= 65_pct, 10_pct, 98_pct));
    CHECK_FALSE(relaxed(used >= 65_pct, 10_pct) == relaxed(used >= 65_pct, 11_pct));
    CHECK_FALSE(relaxed(used >= 65_pct, 10_pct) == relaxed(used >= 66_pct, 10_pct));
}
