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
        for (std::size_t place = 0; place < 3; ++place)
            bits = bits << 8 | (place < bytes.size() ? static_cast<unsigned char>(bytes[place]) : 0u);
        for (std::size_t place = 0; place < 4; ++place)
            out.push_back(place <= bytes.size() ? digits[bits >> (18 - 6 * place) & 63u] : '=');
    }
}

/// Appends the decoded bytes. False if `text` is not exactly what `append` writes for them.
constexpr bool append_decoded(std::string& out, std::string_view text) {
    if (text.size() % 4 != 0) return false;
    for (; !text.empty(); text.remove_prefix(4)) {
        std::size_t const pads = text.size() > 4 || text[3] != '=' ? 0 : text[2] != '=' ? 1 : 2;
        std::uint32_t bits = 0;
        for (std::size_t place = 0; place < 4; ++place) {
            auto const digit = place + pads < 4 ? digits.find(text[place]) : 0;
            if (digit == std::string_view::npos) return false;
            bits = bits << 6 | static_cast<std::uint32_t>(digit);
        }
        if ((bits & ((1u << (8 * pads)) - 1u)) != 0) return false;
        for (std::size_t place = 0; place + pads < 3; ++place)
            out.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (16 - 8 * place) & 255u)));
    }
    return true;
}

}  // namespace detail::base64
}  // namespace v1
}  // namespace condense
