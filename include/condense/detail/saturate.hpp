// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

// Unsigned arithmetic that stops at its limits instead of wrapping. Every sum of tokens or sizes goes through it,
// because providers and restored files supply the figures.

namespace condense {
inline namespace v1 {
namespace detail {

inline constexpr std::uint64_t u64_limit = ~std::uint64_t{0};
/// The index of nothing, in tables of at most 2^32 - 1 entries.
inline constexpr std::uint32_t none32 = ~std::uint32_t{0};

/// Converts to an index without a cast that g++ reports as useless where both types are the same.
constexpr std::size_t as_size(std::uint64_t const count) noexcept { return static_cast<std::size_t>(count); }

/// left + right, at most u64_limit.
constexpr std::uint64_t add_capped(std::uint64_t left, std::uint64_t right) noexcept {
    return left > u64_limit - right ? u64_limit : left + right;
}

/// left - right, at least 0.
constexpr std::uint64_t sub_capped(std::uint64_t left, std::uint64_t right) noexcept {
    return left < right ? 0 : left - right;
}

/// left * right, at most u64_limit.
constexpr std::uint64_t mul_capped(std::uint64_t left, std::uint64_t right) noexcept {
    return right != 0 && left > u64_limit / right ? u64_limit : left * right;
}

/// floor(value * share / total), without an intermediate overflow for share and total below 2^32. `total` is not 0.
constexpr std::uint64_t scale_down(std::uint64_t value, std::uint64_t share, std::uint64_t total) noexcept {
    return add_capped(mul_capped(value / total, share), value % total * share / total);
}

/// ceil(value * share / total), same limits.
constexpr std::uint64_t scale_up(std::uint64_t value, std::uint64_t share, std::uint64_t total) noexcept {
    auto const remainder = value % total * share;
    return add_capped(mul_capped(value / total, share), remainder / total + (remainder % total != 0 ? 1u : 0u));
}

}  // namespace detail

using detail::add_capped;
using detail::mul_capped;

}  // namespace v1
}  // namespace condense
