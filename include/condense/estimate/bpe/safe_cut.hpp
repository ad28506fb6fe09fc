// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/estimate/bpe/split.hpp>

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

/// True if a piece ends at `position`, which is inside the text, and the pieces before it do not depend on anything
/// after the code point at `position`. Sufficient, not necessary: reads only the two code points there. Holds for every
/// scheme.
constexpr bool may_cut(std::string_view text, std::size_t position) noexcept {
    if (utf8::continues(text[position])) return false;
    auto const next = glyph_at(text, position);
    if (!next.valid) return false;  // more bytes may turn it into another character
    auto const before = glyph_before(text, position);
    auto const word = is_letter(before.kind) || before.kind == char_class::number;
    if (is_line_end(text[position - 1])) return next.kind != char_class::space && text[position] != '/';
    if (before.kind == char_class::space) return false;
    if (next.kind == char_class::space) return word || !is_line_end(text[position]);  // a run of signs takes line ends
    if (next.kind == char_class::number) return before.kind != char_class::number;
    // U+30FB and others from U+3000 on are signs by class, but continue a run of kana by script.
    return next.kind == char_class::sign && word && text[position] != '\'' && text[position] != '\xE3';
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
