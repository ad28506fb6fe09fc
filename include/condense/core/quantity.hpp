// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstdint>

#include <condense/detail/saturate.hpp>

// Strong types for sizes, with literals: 10'000_chars, 20'000_tokens, 65_pct, 100_messages.

namespace condense {
inline namespace v1 {

enum class unit : std::uint8_t { bytes, chars, lines, messages, nanoseconds, results, tokens, turns };

/// A saturating count of one unit.
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
using lines = quantity<unit::lines>;
using messages = quantity<unit::messages>;
/// Of tools; the blocks of one count once.
using results = quantity<unit::results>;
using tokens = quantity<unit::tokens>;
/// A plain user message and all that answers it.
using turns = quantity<unit::turns>;
/// Nanoseconds since any fixed point.
using instant = quantity<unit::nanoseconds>;

/// A share in hundredths of a per cent, so that no decision needs floating point.
struct percent {
    std::uint32_t basis_points = 0;

    static constexpr std::uint32_t whole = 10'000;
    friend constexpr auto operator<=>(percent, percent) = default;

    template <unit Unit>
    constexpr quantity<Unit> of(quantity<Unit> total) const noexcept {
        return {detail::scale_down(total.count, basis_points, whole)};
    }
    template <unit Unit>
    constexpr quantity<Unit> of_rounded_up(quantity<Unit> total) const noexcept {
        return {detail::scale_up(total.count, basis_points, whole)};
    }
};

inline namespace literals {

consteval bytes operator""_bytes(unsigned long long count) { return {count}; }
consteval chars operator""_chars(unsigned long long count) { return {count}; }
consteval lines operator""_lines(unsigned long long count) { return {count}; }
consteval messages operator""_messages(unsigned long long count) { return {count}; }
consteval results operator""_results(unsigned long long count) { return {count}; }
consteval tokens operator""_tokens(unsigned long long count) { return {count}; }
consteval turns operator""_turns(unsigned long long count) { return {count}; }
consteval percent operator""_pct(unsigned long long count) {
    return {count > 1'000'000 ? detail::none32 : static_cast<std::uint32_t>(count * 100)};
}
consteval percent operator""_pct(long double count) {
    return {static_cast<std::uint32_t>(count * 100 + 0.5L)};
}

}  // namespace literals
}  // namespace v1
}  // namespace condense
