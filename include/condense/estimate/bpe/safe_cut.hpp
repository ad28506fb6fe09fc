// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/estimate/bpe/split.hpp>

// Where a text may be cut so that both parts have together the pieces of the whole, whatever is appended.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// The code point, or the ill-formed part, that ends at `at`, which is above 0.
constexpr glyph glyph_before(std::string_view text, std::size_t at) noexcept {
    auto begin = at - 1;
    while (begin != 0 && at - begin < 4 && utf8::continues(text[begin])) --begin;
    auto const found = glyph_at(text, begin);
    return found.valid && found.size == at - begin ? found : glyph{char_class::other, false, 1};
}

/// Whether the pieces before `at`, inside the text, end there and do not depend on anything after the code
/// point at `at`. Sufficient, not necessary: it looks at the two code points there and no further.
constexpr bool may_cut(std::string_view text, std::size_t at) noexcept {
    if (utf8::continues(text[at])) return false;
    auto const next = glyph_at(text, at);
    if (!next.valid) return false;  // more bytes may make it another
    auto const before = glyph_before(text, at);
    auto const word = is_letter(before.kind) || before.kind == char_class::number;
    if (is_line_end(text[at - 1])) return next.kind != char_class::space && text[at] != '/';
    if (before.kind == char_class::space) return false;
    if (next.kind == char_class::space) return word || !is_line_end(text[at]);  // signs take line ends
    if (next.kind == char_class::number) return before.kind != char_class::number;
    // Signs among kana are of their run where scripts stand apart.
    return next.kind == char_class::sign && word && text[at] != '\'' && text[at] != '\xE3';
}

/// The last place to cut in `text`, searched from its end down to `from`; 0 where there is none.
constexpr std::size_t last_cut(std::string_view text, std::size_t from = 0) noexcept {
    for (auto at = text.size(); at > 1 && at > from;)
        if (may_cut(text, --at)) return at;
    return 0;
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
