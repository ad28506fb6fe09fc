// SPDX-License-Identifier: BSL-1.0
#include <condense/core/usage.hpp>

#include <initializer_list>
#include <limits>

#include "core/constant.hpp"

namespace {

using namespace condense::literals;
using condense::budget, condense::measure, condense::usage;

/// What is cached is sent all the same.
constexpr bool cached_tokens_take_room() {
    usage const now{.tokens = 101_tokens, .input = 100_tokens, .cached = 90_tokens};
    return !now.fits() && now.headroom() == 0_tokens && usage{}.cached == 0_tokens &&
           now != usage{.tokens = 101_tokens, .input = 100_tokens};
}

constexpr bool any_figures_are_harmless() {
    for (auto const one : figures_of_any_size)
        for (auto const other : figures_of_any_size) {
            auto const less = one < other ? 0 : one - other;
            if (budget{.window = {one}, .output = {other}}.input().count != less) return false;
            if (usage{.tokens = {other}, .input = {one}}.headroom().count != less) return false;
            if (usage{.tokens = {other}, .input = {one}}.fits() != (other <= one)) return false;
        }
    return true;
}

constexpr bool measures_are_a_set() {
    auto const both = measure::message_count | measure::turn_count;
    return (both & measure::message_count) && (both & measure::turn_count) && !(both & measure::token_count) &&
           !(measure::none & measure::any) && (measure::any & measure::token_count) &&
           (both | measure::token_count | measure::image_count | measure::byte_count) == measure::any;
}

TEST_CASE("usage: budgets, headroom and measures") {
    // The input is the window less the output.
    CHECK_CONSTANT(budget{.window = 200'000_tokens, .output = 20'000_tokens}.input() == 180'000_tokens &&
                   budget{.window = 10_tokens, .output = 20_tokens}.input() == 0_tokens &&
           // What is kept outside the messages is used, it does not make the input smaller.
                   budget{.window = 100_tokens, .overhead = 30_tokens}.input() == 100_tokens);
    // A request that fills the input fits.
    CHECK_CONSTANT(usage{.tokens = 100_tokens, .input = 100_tokens}.fits() &&
                   !usage{.tokens = 101_tokens, .input = 100_tokens}.fits() &&
                   usage{.tokens = 40_tokens, .input = 100_tokens}.headroom() == 60_tokens &&
                   usage{.tokens = 101_tokens, .input = 100_tokens}.headroom() == 0_tokens && usage{}.fits());
    CHECK_CONSTANT(cached_tokens_take_room());
    CHECK_CONSTANT(any_figures_are_harmless());
    CHECK_CONSTANT(measures_are_a_set());
}

using condense::tokens, condense::usage_line;

constexpr tokens most{std::numeric_limits<std::uint64_t>::max()};

constexpr bool shares_stay_within_their_range() {
    using condense::detail::share_of;
    for (std::uint64_t value = 0; value < 20; ++value)
        for (std::uint64_t share = 0; share < 20; ++share)
            for (std::uint64_t whole = 1; whole < 20; ++whole)
                if (share_of(value, share, whole) != value * share / whole) return false;
    return share_of(most.count, 1'000, most.count) == 1'000 && share_of(most.count, 1'000, 1) == most.count &&
           share_of(most.count - 1, 1'000, most.count) <= 1'000;
}

TEST_CASE("usage_line: what is used, in words") {
    CHECK_CONSTANT(shares_stay_within_their_range());
    usage const now{.tokens = 12'345_tokens, .input = 180'000_tokens};
    CHECK(usage_line(now, 117'000_tokens, 40) ==
          "12,345 of 180,000 tokens (6.8 %), reduces at 117,000, about 40 turns left");
    CHECK(usage_line(now, 10'000_tokens, 40, "3,000 tokens have to come first") ==
          "12,345 of 180,000 tokens (6.8 %), reduces at 10,000, about 40 turns left; a reduction is due and waits: "
          "3,000 tokens have to come first");
    CHECK(usage_line(now, {}, 1) == "12,345 of 180,000 tokens (6.8 %), about 1 turn left");
    CHECK(usage_line(now, {}, 0) == "12,345 of 180,000 tokens (6.8 %), less than a turn left");
    CHECK(usage_line(now, 1_tokens) == "12,345 of 180,000 tokens (6.8 %), reduces at 1");
    CHECK(usage_line({.tokens = 200'000_tokens, .input = 180'000_tokens}) == "200,000 of 180,000 tokens (111.1 %)");
    CHECK((usage_line({.tokens = 5_tokens}) == "5 of 0 tokens" && usage_line({}) == "0 of 0 tokens"));
    CHECK(usage_line({.tokens = most, .input = most}).find("(100.0 %)") != std::string::npos);
    CHECK(usage_line({.tokens = most, .input = 1_tokens}, most, most.count).size() < 200);
}

}  // namespace
