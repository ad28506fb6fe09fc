// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The name by which stored content can be had back.

namespace condense {
inline namespace v1 {

/// The content-derived name of a stored original: 24 hexadecimal digits, all zero when there is none.
struct reference {
    std::array<std::uint8_t, 12> digest = {};

    constexpr explicit operator bool() const noexcept { return *this != reference{}; }

    constexpr std::string text() const {
        std::string out;
        append_to(out);
        return out;
    }
    constexpr void append_to(std::string& out) const {
        for (auto const byte : digest)
            for (auto const half : {byte >> 4, byte & 15}) out.push_back("0123456789abcdef"[half]);
    }
    /// What text() has spelt, or nothing.
    static constexpr std::optional<reference> of(std::string_view spelt) noexcept {
        reference found;
        if (spelt.size() != 2 * found.digest.size()) return std::nullopt;
        for (std::size_t at = 0; at < spelt.size(); ++at) {
            auto const digit = std::string_view{"0123456789abcdef"}.find(spelt[at]);
            if (digit == std::string_view::npos) return std::nullopt;
            found.digest[at / 2] = static_cast<std::uint8_t>(16u * found.digest[at / 2] + digit);
        }
        return found;
    }
    friend constexpr auto operator<=>(reference const&, reference const&) = default;
};

}  // namespace v1
}  // namespace condense
