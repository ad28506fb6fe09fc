// SPDX-License-Identifier: BSL-1.0
#include <condense/core/quantity.hpp>

#include <concepts>
#include <initializer_list>
#include <limits>

#include "core/constant.hpp"
#include "support/wide.hpp"

namespace {

using namespace condense::literals;
using condense::cost, condense::percent, condense::tokens;

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

// Units do not mix.

template <class Left, class Right>
concept addable = requires(Left left, Right right) { left + right; };
template <class Left, class Right>
concept comparable = requires(Left left, Right right) { left < right; };
static_assert(addable<tokens, tokens> && comparable<tokens, tokens>);
static_assert(!addable<tokens, condense::chars> && !comparable<tokens, condense::messages>);
static_assert(!comparable<percent, tokens> && !std::convertible_to<int, tokens> &&
              !std::convertible_to<tokens, condense::chars>);

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

TEST_CASE("quantity: literals, units and sums") {
    CHECK_CONSTANT(10'000_chars == condense::chars{10'000} && 5_bytes == condense::bytes{5} &&
                   128_lines == condense::lines{128} && 100_messages == condense::messages{100} &&
                   20'000_tokens == tokens{20'000} && 3_turns == condense::turns{3});
    // Shares are in hundredths of a per cent.
    CHECK_CONSTANT(65_pct == percent{6'500} && 0.5_pct == percent{50} && 33.33_pct == percent{3'333} &&
                   99.99_pct == percent{9'999} && 0.005_pct == percent{1} && 0_pct == percent{});
    // Sums saturate.
    CHECK_CONSTANT(tokens{most} + 1_tokens == tokens{most} && tokens{most - 1} + 1_tokens == tokens{most} &&
                   tokens{most} + tokens{most} == tokens{most} && 3_tokens - 5_tokens == 0_tokens &&
                   5_tokens - 3_tokens == 2_tokens);
}

TEST_CASE("quantity: shares") {
    CHECK_CONSTANT((33_pct).of(128'000_tokens) == 42'240_tokens && (50_pct).of(101_tokens) == 50_tokens &&
                   (50_pct).of_rounded_up(101_tokens) == 51_tokens && (50_pct).of_rounded_up(100_tokens) == 50_tokens &&
                   (100_pct).of(tokens{most}) == tokens{most} && (0_pct).of_rounded_up(tokens{most}) == 0_tokens);
    CHECK_CONSTANT(shares_of_any_figure_are_exact());
    // T4: shares above the whole, as arithmetic may make them, saturate.
    CHECK_CONSTANT(percent{20'000}.of(tokens{most}) == tokens{most} && percent{20'000}.of(100_tokens) == 200_tokens &&
                   percent{std::numeric_limits<std::uint32_t>::max()}.of_rounded_up(tokens{most}) == tokens{most});
}

constexpr bool figures_of_any_size_saturate() {
    for (auto const figure : {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 55})
        if (cost::of({figure}).tokens() != tokens{figure}) return false;
    for (auto const figure : {std::uint64_t{1} << 56, std::uint64_t{1} << 63, most})
        if (cost::of({figure}).steps != most) return false;
    return cost{most} + cost{1} == cost{most} && cost{1} - cost{2} == cost{} &&
           cost{most}.tokens() == tokens{most / 256 + 1};
}

constexpr bool costs_add_up_in_place() {
    cost sum{10};
    sum += cost{5};
    sum -= cost{3};
    return sum == cost{12} && (sum -= cost{13}) == cost{};
}

TEST_CASE("cost: rounds once, upward, and saturates") {
    // Tokens round upward.
    CHECK_CONSTANT(cost{}.tokens() == tokens{0} && cost{1}.tokens() == tokens{1} && cost{256}.tokens() == tokens{1} &&
                   cost{257}.tokens() == tokens{2} && cost::of({1'000}).tokens() == tokens{1'000});
    // case-156: sums are rounded once.
    CHECK_CONSTANT((cost{86} + cost{86} + cost{86}).tokens() == tokens{2} && cost{86}.tokens() == tokens{1});
    CHECK_CONSTANT(figures_of_any_size_saturate());
    CHECK_CONSTANT(costs_add_up_in_place());
}

constexpr bool a_cached_token_is_never_dearer_by_default() {
    condense::prices const each;
    return each.cached < each.input && each.input < each.written && each.written < each.output;
}

TEST_CASE("price: fixed point") {
    // Prices are whole numbers.
    CHECK_CONSTANT((3.0_per_million).millionths == 3'000'000 && 3_per_million == 3.0_per_million &&
                   (0.0028_per_million).millionths == 2'800 && 0.075_per_million < 0.3_per_million &&
                   condense::price{} < 0.000001_per_million);
    CHECK_CONSTANT(a_cached_token_is_never_dearer_by_default());
}

}  // namespace
