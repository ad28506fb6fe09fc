// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/estimate/bpe/split.hpp>
#include <condense/estimate/bpe/split_script.hpp>

// Finds where a text may be cut so that both parts together have the pieces of the whole text, whatever is appended.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// The code point, or the ill-formed part, that ends at `position`, which is above 0. Reads back at most four bytes.
constexpr glyph glyph_before(std::string_view text, std::size_t position) noexcept {
    auto begin = position - 1;
    while (begin != 0 && position - begin < 4 && utf8::continues(text[begin])) --begin;
    auto const candidate = glyph_at(text, begin);
    return candidate.valid && candidate.size == position - begin ? candidate : glyph{char_class::other, false, 1};
}

/// True for ASCII signs; controls are none.
constexpr bool is_ascii_sign(char byte) noexcept { return script_splitter::is_ascii_sign(byte); }

/// True if a piece ends at `position`, which is inside the text, and the pieces before it do not depend on anything
/// after the code point at `position`. Sufficient, not necessary: reads only the two code points there, and the byte
/// before them. Holds for every scheme.
constexpr bool may_cut(std::string_view text, std::size_t position) noexcept {
    if (utf8::continues(text[position])) return false;
    auto const next = glyph_at(text, position);
    if (!next.valid) return false;  // more bytes may turn it into another character
    auto const before = glyph_before(text, position);
    auto const word = is_letter(before.kind) || before.kind == char_class::number;
    if (is_line_end(text[position - 1])) {
        if (is_line_end(text[position]) || text[position] == '/') return false;
        // White space begins a piece if the line end belongs to the signs before it, not to the run of white space.
        return next.kind != char_class::space || (position > 1 && is_ascii_sign(text[position - 2]));
    }
    if (before.kind == char_class::space) return false;
    if (next.kind == char_class::space) return word || !is_line_end(text[position]);  // a run of signs takes line ends
    if (next.kind == char_class::number) return before.kind != char_class::number;
    if (next.kind != char_class::sign || !word || text[position] == '\'') return false;
    // U+30FB and others are signs by class, but continue a run of kana by script; of those the first is U+3041.
    return text[position] != '\xE3' || text[position + 1] == '\x80';
}

/// The last place at or after `from` to cut `text`, searched from its end; 0 if there is none.
constexpr std::size_t last_cut(std::string_view text, std::size_t from = 0) noexcept {
    for (auto position = text.size(); position > 1 && position > from;)
        if (may_cut(text, --position)) return position;
    return 0;
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
