// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/utf8.hpp>
#include <condense/estimate/bpe/unicode_table.hpp>

// What a code point is to the rules that split text before merging: the general categories they name,
// joined where no rule tells them apart.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

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

/// The code point at `at`, which is below `text.size()`. An ill-formed part stands for U+FFFD, but is of
/// class other: no rule tells that from sign.
constexpr glyph glyph_at(std::string_view text, std::size_t at) noexcept {
    auto const byte = [&](std::size_t ahead) { return std::uint32_t{static_cast<unsigned char>(text[at + ahead])}; };
    if (byte(0) < 0x80) return {class_of(byte(0)), true, 1};
    auto const found = utf8::decode(text, at);
    if (!found.valid) return {char_class::other, false, found.size};
    auto point = byte(0) & (found.size == 2 ? 0x1Fu : found.size == 3 ? 0x0Fu : 0x07u);
    for (std::size_t next = 1; next < found.size; ++next) point = point << 6 | (byte(next) & 0x3Fu);
    return {class_of(point), true, found.size};
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
