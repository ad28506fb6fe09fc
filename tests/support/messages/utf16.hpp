// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <condense/detail/utf8.hpp>

// UTF-8 to UTF-16 and back; what is ill-formed becomes U+FFFD.

namespace forms {

inline std::u16string to_utf16(std::string_view text) {
    std::u16string out;
    for (std::size_t at = 0; at < text.size();) {
        auto const found = condense::detail::utf8::decode(text, at);
        auto const byte = [&](std::size_t offset) {
            return static_cast<char32_t>(static_cast<unsigned char>(text[at + offset]));
        };
        char32_t point = 0xFFFD;
        if (found.valid) {
            point = found.size == 1 ? byte(0) : byte(0) & (0x7Fu >> found.size);
            for (std::size_t next = 1; next < found.size; ++next) point = point << 6 | (byte(next) & 0x3Fu);
        }
        if (point > 0xFFFF) {
            out.push_back(static_cast<char16_t>(0xD800u + ((point - 0x10000u) >> 10)));
            point = 0xDC00u + ((point - 0x10000u) & 0x3FFu);
        }
        out.push_back(static_cast<char16_t>(point));
        at += found.size;
    }
    return out;
}

inline std::string to_utf8(std::u16string_view text) {
    std::string out;
    auto const add = [&](char32_t bits) { out.push_back(static_cast<char>(static_cast<unsigned char>(bits))); };
    for (std::size_t at = 0; at < text.size(); ++at) {
        char32_t point = text[at];
        bool const pair = point >= 0xD800 && point < 0xDC00 && at + 1 < text.size() && text[at + 1] >= 0xDC00 &&
                          text[at + 1] < 0xE000;
        if (pair) point = 0x10000u + ((point - 0xD800u) << 10) + (char32_t{text[++at]} - 0xDC00u);
        else if (point >= 0xD800 && point < 0xE000) point = 0xFFFD;
        if (point < 0x80) add(point);
        else {
            unsigned const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
            add((0xFF00u >> (more + 1) & 0xFFu) | point >> (6 * more));
            for (auto left = more; left-- > 0;) add(0x80u | (point >> (6 * left) & 0x3Fu));
        }
    }
    return out;
}

}  // namespace forms
