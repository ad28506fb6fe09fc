// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstdint>

#include <condense/detail/saturate.hpp>

// Strong types for sizes, shares, costs and prices, with literals: 10'000_chars, 20'000_tokens,
// 65_pct, 3.0_per_million. Integers only, so that no decision depends on how a machine rounds.

namespace condense {
inline namespace v1 {

/// What a quantity counts. Quantities of different units do not mix.
enum class unit : std::uint8_t { bytes, chars, images, lines, messages, nanoseconds, results, tokens, turns };

/// A count of one unit. Sums stop at the largest value, differences at 0.
template <unit Unit>
struct quantity {
    std::uint64_t count = 0;

    friend constexpr auto operator<=>(quantity, quantity) = default;
    friend constexpr quantity operator+(quantity left, quantity right) noexcept {
        return {detail::add_capped(left.count, right.count)};
    }
    friend constexpr quantity operator-(quantity left, quantity right) noexcept {
        return {detail::sub_capped(left.count, right.count)};
    }
};

using bytes = quantity<unit::bytes>;
/// Unicode code points.
using chars = quantity<unit::chars>;
/// Media, of any kind.
using images = quantity<unit::images>;
/// Lines of text.
using lines = quantity<unit::lines>;
using messages = quantity<unit::messages>;
/// Tool results. A result of several blocks counts once.
using results = quantity<unit::results>;
using tokens = quantity<unit::tokens>;
/// Turns: a plain user message and everything up to the next one.
using turns = quantity<unit::turns>;
/// Nanoseconds since any fixed point.
using instant = quantity<unit::nanoseconds>;

/// A share, in hundredths of a per cent.
struct percent {
    std::uint32_t basis_points = 0;

    static constexpr std::uint32_t one_hundred = 10'000;  ///< 100 %
    friend constexpr auto operator<=>(percent, percent) = default;

    /// The share of a total, rounded down.
    template <unit Unit>
    constexpr quantity<Unit> of(quantity<Unit> total) const noexcept {
        return {detail::scale_down(total.count, basis_points, one_hundred)};
    }
    template <unit Unit>
    constexpr quantity<Unit> of_rounded_up(quantity<Unit> total) const noexcept {
        return {detail::scale_up(total.count, basis_points, one_hundred)};
    }
};

inline namespace literals {

consteval bytes operator""_bytes(unsigned long long count) { return {count}; }
consteval chars operator""_chars(unsigned long long count) { return {count}; }
consteval bytes operator""_MB(unsigned long long count) { return {count * 1'000'000}; }
consteval images operator""_images(unsigned long long count) { return {count}; }
consteval lines operator""_lines(unsigned long long count) { return {count}; }
consteval messages operator""_messages(unsigned long long count) { return {count}; }
consteval results operator""_results(unsigned long long count) { return {count}; }
consteval tokens operator""_tokens(unsigned long long count) { return {count}; }
consteval turns operator""_turns(unsigned long long count) { return {count}; }
// A share that does not fit becomes the largest one, which triggers and policies refuse.
consteval percent operator""_pct(unsigned long long count) {
    return {count > 1'000'000 ? detail::none32 : static_cast<std::uint32_t>(count * 100)};
}
consteval percent operator""_pct(long double count) { return {static_cast<std::uint32_t>(count * 100 + 0.5L)}; }

}  // namespace literals

/// What text costs: tokens in steps of 1/256, so that estimates of short texts add up without rounding errors. Only
/// usage rounds: upward and once, on the sum. Sums saturate.
struct cost {
    std::uint64_t steps = 0;  ///< 256 for one token

    static constexpr std::uint64_t per_token = 256;

    static constexpr cost of(v1::tokens count) noexcept { return {detail::mul_capped(count.count, per_token)}; }

    /// Whole tokens, rounded upward.
    constexpr v1::tokens tokens() const noexcept { return {steps / per_token + (steps % per_token != 0 ? 1u : 0u)}; }

    friend constexpr auto operator<=>(cost, cost) = default;
    friend constexpr cost operator+(cost left, cost right) noexcept {
        return {detail::add_capped(left.steps, right.steps)};
    }
    friend constexpr cost operator-(cost left, cost right) noexcept {
        return {detail::sub_capped(left.steps, right.steps)};
    }
    constexpr cost& operator+=(cost more) noexcept { return *this = *this + more; }
    constexpr cost& operator-=(cost less) noexcept { return *this = *this - less; }
};

/// The price of tokens, in millionths of any currency for a million of them.
struct price {
    std::uint64_t millionths = 0;
    friend constexpr auto operator<=>(price, price) = default;
};

inline namespace literals {
consteval price operator""_per_million(long double amount) {
    return {static_cast<std::uint64_t>(amount * 1'000'000 + 0.5L)};
}
consteval price operator""_per_million(unsigned long long amount) { return {amount * 1'000'000}; }
}  // namespace literals

/// The four prices that a provider asks for tokens. The defaults are those of a current mid-size model, in dollars.
struct prices {
    price input = {3'000'000};   ///< not cached
    price cached = {300'000};    ///< read from the prompt cache
    price written = {3'750'000};  ///< written to the cache; the input price where a provider asks nothing extra
    price output = {15'000'000};

    friend constexpr bool operator==(prices const&, prices const&) = default;
};

}  // namespace v1
}  // namespace condense
