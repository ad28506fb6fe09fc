// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstdint>

#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>

// What text costs: fixed-point tokens. Only usage rounds, upward and once, on the sum.

namespace condense {
inline namespace v1 {

/// Tokens in steps of 1/256; sums saturate.
struct cost {
    std::uint64_t steps = 0;

    static constexpr std::uint64_t per_token = 256;

    static constexpr cost of(v1::tokens count) noexcept { return {detail::mul_capped(count.count, per_token)}; }

    constexpr v1::tokens tokens() const noexcept {
        return {steps / per_token + (steps % per_token != 0 ? 1u : 0u)};
    }

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

}  // namespace v1
}  // namespace condense
