// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/utf8.hpp>
#include <condense/estimate/bpe/unicode_table.hpp>

// The class of a code point for the rules that split text before merging: the general categories of Unicode that they
// name, joined where no rule tells them apart.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// The values are the digits of the table in unicode_table.hpp.
enum class char_class : std::uint8_t {
    other,     ///< controls, formats, private use, unassigned, and every ill-formed part
    upper,     ///< Lu, Lt
    lower,     ///< Ll
    caseless,  ///< Lm, Lo
    mark,      ///< M
    number,    ///< Nd, Nl, No
    space,     ///< White_Space
    sign,      ///< P, S
};

/// Two look-ups: the block of 128 code points, then the class in it.
constexpr char_class class_of(std::uint32_t point) noexcept {
    if (point >= unicode_table_end) return point - 0xE0100 < 0xF0 ? char_class::mark : char_class::other;
    auto const block = std::size_t{unicode_blocks[point / 128]};
    return static_cast<char_class>(unicode_digits[block * 128 + point % 128] - '0');
}

constexpr bool is_letter(char_class kind) noexcept {
    return kind == char_class::upper || kind == char_class::lower || kind == char_class::caseless;
}

/// One code point of a text, or one ill-formed part.
struct glyph {
    char_class kind = char_class::other;
    bool valid = true;
    std::size_t size = 1;
};

/// The code point at `position`, which is below `text.size()`. An ill-formed part stands for U+FFFD, a sign, but is of
/// class other, because no rule that uses these classes tells the two apart.
constexpr glyph glyph_at(std::string_view text, std::size_t position) noexcept {
    auto const byte = [&](std::size_t ahead) {
        return std::uint32_t{static_cast<unsigned char>(text[position + ahead])};
    };
    if (byte(0) < 0x80) return {class_of(byte(0)), true, 1};
    auto const decoded = utf8::decode(text, position);
    if (!decoded.valid) return {char_class::other, false, decoded.size};
    auto point = byte(0) & (decoded.size == 2 ? 0x1Fu : decoded.size == 3 ? 0x0Fu : 0x07u);
    for (std::size_t index = 1; index < decoded.size; ++index) point = point << 6 | (byte(index) & 0x3Fu);
    return {class_of(point), true, decoded.size};
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
