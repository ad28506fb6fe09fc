// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// Whole numbers of 128 bits, to compute exactly what the library rounds or caps, also where the compiler has none.

struct wide {
    std::array<std::uint32_t, 4> digits = {};  ///< to the base 2^32, the lowest first

    constexpr wide(std::uint64_t value = 0) noexcept
        : digits{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)} {}

    static constexpr wide product(std::uint64_t left, std::uint64_t right) noexcept {
        wide const one{left};
        wide const other{right};
        wide result;
        for (std::size_t low = 0; low < 2; ++low) {
            std::uint64_t carry = 0;
            for (std::size_t high = 0; high < 2; ++high) {
                carry += result.digits[low + high] + std::uint64_t{one.digits[low]} * other.digits[high];
                result.digits[low + high] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            result.digits[low + 2] = static_cast<std::uint32_t>(carry);
        }
        return result;
    }
    friend constexpr wide operator+(wide left, wide const& right) noexcept {
        std::uint64_t carry = 0;
        for (std::size_t index = 0; index < 4; ++index) {
            carry += std::uint64_t{left.digits[index]} + right.digits[index];
            left.digits[index] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        return left;
    }
    friend constexpr wide operator/(wide left, std::uint32_t divisor) noexcept {
        std::uint64_t rest = 0;
        for (std::size_t index = 4; index-- != 0;) {
            rest = rest << 32 | left.digits[index];
            left.digits[index] = static_cast<std::uint32_t>(rest / divisor);
            rest %= divisor;
        }
        return left;
    }
    /// The largest of 64 bits where it is larger.
    constexpr std::uint64_t capped() const noexcept {
        return (digits[2] | digits[3]) != 0 ? ~std::uint64_t{0} : std::uint64_t{digits[1]} << 32 | digits[0];
    }
};
