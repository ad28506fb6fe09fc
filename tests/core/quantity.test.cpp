// SPDX-License-Identifier: BSL-1.0
#include <condense/core/quantity.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "support/catch.hpp"
#include "support/wide.hpp"

namespace {

using namespace condense::literals;
using condense::percent;
using condense::tokens;

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

constexpr bool literals_say_what_they_say() {
    return 10'000_chars == condense::chars{10'000} && 5_bytes == condense::bytes{5} &&
           128_lines == condense::lines{128} && 100_messages == condense::messages{100} &&
           20'000_tokens == tokens{20'000} && 3_turns == condense::turns{3};
}
static_assert(literals_say_what_they_say());

constexpr bool shares_are_in_hundredths_of_a_per_cent() {
    return 65_pct == percent{6'500} && 0.5_pct == percent{50} && 33.33_pct == percent{3'333} &&
           99.99_pct == percent{9'999} && 0.005_pct == percent{1} && 0_pct == percent{};
}
static_assert(shares_are_in_hundredths_of_a_per_cent());

// Units do not mix.

template <class Left, class Right>
concept addable = requires(Left left, Right right) { left + right; };
template <class Left, class Right>
concept comparable = requires(Left left, Right right) { left < right; };
static_assert(addable<tokens, tokens> && comparable<tokens, tokens>);
static_assert(!addable<tokens, condense::chars> && !comparable<tokens, condense::messages>);
static_assert(!comparable<percent, tokens> && !std::convertible_to<int, tokens> &&
              !std::convertible_to<tokens, condense::chars>);

constexpr bool sums_saturate() {
    return tokens{most} + 1_tokens == tokens{most} && tokens{most - 1} + 1_tokens == tokens{most} &&
           tokens{most} + tokens{most} == tokens{most} && 3_tokens - 5_tokens == 0_tokens &&
           5_tokens - 3_tokens == 2_tokens;
}
static_assert(sums_saturate());

constexpr bool shares_round_as_they_say() {
    return (33_pct).of(128'000_tokens) == 42'240_tokens && (50_pct).of(101_tokens) == 50_tokens &&
           (50_pct).of_rounded_up(101_tokens) == 51_tokens && (50_pct).of_rounded_up(100_tokens) == 50_tokens &&
           (100_pct).of(tokens{most}) == tokens{most} && (0_pct).of_rounded_up(tokens{most}) == 0_tokens;
}
static_assert(shares_round_as_they_say());

/// Exactly floor and ceil, computed with twice the bits.
constexpr bool shares_of_any_figure_are_exact() {
    for (auto const total : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{9'999}, std::uint64_t{1} << 31,
                             (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 63, most}) {
        for (std::uint32_t const share : {0u, 1u, 3'333u, 6'500u, 9'999u, 10'000u}) {
            auto const exact = wide::product(total, share);
            if (percent{share}.of(tokens{total}).count != (exact / 10'000).capped()) return false;
            if (percent{share}.of_rounded_up(tokens{total}).count != ((exact + 9'999) / 10'000).capped()) return false;
        }
    }
    return true;
}
static_assert(shares_of_any_figure_are_exact());

/// T4: also shares above the whole, as arithmetic may make them.
constexpr bool large_shares_saturate() {
    return percent{20'000}.of(tokens{most}) == tokens{most} && percent{20'000}.of(100_tokens) == 200_tokens &&
           percent{std::numeric_limits<std::uint32_t>::max()}.of_rounded_up(tokens{most}) == tokens{most};
}
static_assert(large_shares_saturate());

}  // namespace

TEST_CASE("quantity: literals, units and sums") {
    CHECK(literals_say_what_they_say());
    CHECK(shares_are_in_hundredths_of_a_per_cent());
    CHECK(sums_saturate());
}

TEST_CASE("quantity: shares") {
    CHECK(shares_round_as_they_say());
    CHECK(shares_of_any_figure_are_exact());
    CHECK(large_shares_saturate());
}
