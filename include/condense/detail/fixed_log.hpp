// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

// Logarithms, powers and roots in integer arithmetic, so that results are the same on every machine.

namespace condense {
inline namespace v1 {
namespace detail {

/// 1 in 16.16 fixed point, the format of ratios and logarithms.
inline constexpr std::int64_t fixed_one = 65'536;

/// floor(sqrt(value)).
constexpr std::uint64_t square_root(std::uint64_t value) noexcept {
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= value) root += bit;
    return root;
}

/// log2(value) - log2(65,536) in 1/65,536, rounded down: the logarithm of a ratio in that fixed point. 0 counts as 1.
constexpr std::int64_t log2_of_ratio(std::uint64_t ratio) noexcept {
    if (ratio == 0) ratio = 1;
    auto const whole = 63 - std::countl_zero(ratio);
    auto rest = whole > 31 ? ratio >> (whole - 31) : ratio << (31 - whole);  // 1.31 bits, from 1 up to below 2
    std::int64_t out = whole - 16;
    for (int bit = 0; bit < 16; ++bit) {
        rest = rest * rest >> 31;
        auto const carry = rest >> 32;
        out = out * 2 + static_cast<std::int64_t>(carry);
        rest >>= carry;
    }
    return out;
}

/// 2 to the power of the logarithm, as a ratio; both in 1/65,536. Powers from -16 to 16 at most.
constexpr std::uint64_t ratio_of_log2(std::int64_t log) noexcept {
    constexpr auto roots = [] {  // of 2: by 2, 4, 8, ..., in 1.31 bits
        std::array<std::uint64_t, 16> all{};
        auto last = std::uint64_t{1} << 32;
        for (auto& each : all) last = each = square_root(last << 31);
        return all;
    }();
    if (log > 16 * fixed_one) log = 16 * fixed_one;
    if (log < -16 * fixed_one) log = -16 * fixed_one;
    auto const shifted = static_cast<std::uint64_t>(log + 16 * fixed_one);
    auto out = std::uint64_t{1} << 31;
    for (std::size_t bit = 0; bit < roots.size(); ++bit)
        if ((shifted & (std::uint64_t{0x8000} >> bit)) != 0) out = out * roots[bit] >> 31;
    auto const whole = static_cast<int>(shifted >> 16);  // 2^-16 at 0
    return whole > 31 ? out << (whole - 31) : (out + (std::uint64_t{1} << (31 - whole) >> 1)) >> (31 - whole);
}

/// value / whole in 1/65,536, at most 65,536 times as much; 0 for a whole of 0.
constexpr std::uint64_t ratio_of(std::uint64_t value, std::uint64_t whole) noexcept {
    if (whole == 0) return 0;
    auto const wide = std::bit_width(value | whole);
    if (wide > 32) value >>= wide - 32, whole >>= wide - 32;
    if (whole == 0) whole = 1;
    auto const out = (value << 16) / whole;
    return out < std::uint64_t{1} << 32 ? out : std::uint64_t{1} << 32;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
