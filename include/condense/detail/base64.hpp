// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Base64 (RFC 4648, section 4), for bytes that are not valid UTF-8.

namespace condense {
inline namespace v1 {
namespace detail::base64 {

inline constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends four digits for each group of up to three bytes, padded with `=`.
constexpr void append(std::string& out, std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(bytes.size() < 3 ? bytes.size() : 3)) {
        std::uint32_t bits = 0;
        for (std::size_t index = 0; index < 3; ++index)
            bits = bits << 8 | (index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0u);
        for (std::size_t index = 0; index < 4; ++index)
            out.push_back(index <= bytes.size() ? digits[bits >> (18 - 6 * index) & 63u] : '=');
    }
}

/// Appends the decoded bytes. False if `text` is not exactly what `append` writes for them: bytes have one spelling, so
/// that a changed file is detected. After false, `out` may have got some bytes.
constexpr bool append_decoded(std::string& out, std::string_view text) {
    if (text.size() % 4 != 0) return false;
    for (; !text.empty(); text.remove_prefix(4)) {
        // Padding may only end the text.
        std::size_t const pads = text.size() > 4 || text[3] != '=' ? 0 : text[2] != '=' ? 1 : 2;
        std::uint32_t bits = 0;
        for (std::size_t index = 0; index < 4; ++index) {
            auto const digit = index + pads < 4 ? digits.find(text[index]) : 0;
            if (digit == std::string_view::npos) return false;
            bits = bits << 6 | static_cast<std::uint32_t>(digit);
        }
        // The bits that padding leaves unused must be 0.
        if ((bits & ((1u << (8 * pads)) - 1u)) != 0) return false;
        for (std::size_t index = 0; index + pads < 3; ++index)
            out.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (16 - 8 * index) & 255u)));
    }
    return true;
}

}  // namespace detail::base64
}  // namespace v1
}  // namespace condense
