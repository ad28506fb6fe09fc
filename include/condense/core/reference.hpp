// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

// The name by which stored content can be had back.

namespace condense {
inline namespace v1 {

/// The content-derived name of a stored original: 24 hexadecimal digits, all zero when there is none.
struct reference {
    std::array<std::uint8_t, 12> digest = {};

    constexpr explicit operator bool() const noexcept { return *this != reference{}; }

    constexpr std::string text() const {
        std::string out;
        for (auto const byte : digest)
            for (auto const half : {byte >> 4, byte & 15}) out.push_back("0123456789abcdef"[half]);
        return out;
    }
    friend constexpr auto operator<=>(reference const&, reference const&) = default;
};

}  // namespace v1
}  // namespace condense
