// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstdint>

// What tokens cost, in whole numbers: 3.0_per_million, and the four prices that a provider asks.

namespace condense {
inline namespace v1 {

/// What tokens cost, in millionths of any currency for a million of them.
struct price {
    std::uint64_t millionths = 0;
    friend constexpr auto operator<=>(price, price) = default;
};

inline namespace literals {
consteval price operator""_per_million(long double amount) { return {static_cast<std::uint64_t>(amount * 1'000'000 + 0.5L)}; }
consteval price operator""_per_million(unsigned long long amount) { return {amount * 1'000'000}; }
}  // namespace literals

/// What a provider asks for tokens. Defaults: a current model of the middle class, in dollars.
struct prices {
    price input = {3'000'000};   ///< not cached
    price cached = {300'000};    ///< read from the prompt cache
    price written = {3'750'000};  ///< written to it; the input price where a provider asks no more
    price output = {15'000'000};

    friend constexpr bool operator==(prices const&, prices const&) = default;
};

}  // namespace v1
}  // namespace condense
