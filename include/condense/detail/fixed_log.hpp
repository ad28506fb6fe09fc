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

/// floor(sqrt(value)), bit by bit from the highest.
constexpr std::uint64_t square_root(std::uint64_t value) noexcept {
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= value) root += bit;
    return root;
}

/// The binary logarithm of a ratio, both in 16.16 fixed point, rounded down. 0 counts as the smallest ratio. Squaring
/// the mantissa yields one bit of the logarithm after another.
constexpr std::int64_t log2_of_ratio(std::uint64_t ratio) noexcept {
    if (ratio == 0) ratio = 1;
    auto const exponent = 63 - std::countl_zero(ratio);
    auto mantissa =
        exponent > 31 ? ratio >> (exponent - 31) : ratio << (31 - exponent);  // 1.31 bits, from 1 up to below 2
    std::int64_t out = exponent - 16;
    for (int bit = 0; bit < 16; ++bit) {
        mantissa = mantissa * mantissa >> 31;
        auto const carry = mantissa >> 32;
        out = out * 2 + static_cast<std::int64_t>(carry);
        mantissa >>= carry;
    }
    return out;
}

/// 2 to the power of a logarithm, as a ratio; both in 16.16 fixed point. Clamps the logarithm to [-16, 16].
constexpr std::uint64_t ratio_of_log2(std::int64_t log) noexcept {
    constexpr auto roots = [] {  // 2^(1/2), 2^(1/4), 2^(1/8), ... in 1.31 bits
        std::array<std::uint64_t, 16> powers{};
        auto power = std::uint64_t{1} << 32;
        for (auto& entry : powers) power = entry = square_root(power << 31);
        return powers;
    }();
    if (log > 16 * fixed_one) log = 16 * fixed_one;
    if (log < -16 * fixed_one) log = -16 * fixed_one;
    auto const shifted = static_cast<std::uint64_t>(log + 16 * fixed_one);
    auto out = std::uint64_t{1} << 31;
    for (std::size_t bit = 0; bit < roots.size(); ++bit)
        if ((shifted & (std::uint64_t{0x8000} >> bit)) != 0) out = out * roots[bit] >> 31;
    auto const exponent = static_cast<int>(shifted >> 16);  // 2^-16 at 0
    return exponent > 31 ? out << (exponent - 31)
                         : (out + (std::uint64_t{1} << (31 - exponent) >> 1)) >> (31 - exponent);
}

/// value / whole in 16.16 fixed point, at most 65,536; 0 for a whole of 0. Of operands above 32 bits the lowest bits
/// are dropped.
constexpr std::uint64_t ratio_of(std::uint64_t value, std::uint64_t total) noexcept {
    if (total == 0) return 0;
    auto const wide = std::bit_width(value | total);
    if (wide > 32) value >>= wide - 32, total >>= wide - 32;
    if (total == 0) total = 1;
    auto const out = (value << 16) / total;
    return out < std::uint64_t{1} << 32 ? out : std::uint64_t{1} << 32;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
