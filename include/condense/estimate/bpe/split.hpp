// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/estimate/bpe/char_class.hpp>
#include <condense/estimate/bpe/piece.hpp>
#include <condense/estimate/bpe/split_rules.hpp>
#include <condense/estimate/bpe/split_script.hpp>

// Splits text into pieces one code point at a time: the reference for windows, and what splits text that is not ASCII.
// The patterns of the encodings are written out as code; no code point is read more than a few times.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Bytes of the contraction at `position`, such as 's, 'LL or, by simple case folding, ' and a long s; 0 without one.
constexpr std::size_t contraction(std::string_view text, std::size_t position) noexcept {
    if (text.size() - position < 2 || text[position] != '\'') return 0;
    auto const folded = [&](std::size_t ahead) {
        return position + ahead < text.size() ? static_cast<char>(text[position + ahead] | 0x20) : '\0';
    };
    switch (folded(1)) {
        case 's':
        case 't':
        case 'm':
        case 'd': return 2;
        case 'l': return folded(2) == 'l' ? 3 : 0;
        case 'v':
        case 'r': return folded(2) == 'e' ? 3 : 0;
        default: return text.substr(position + 1, 2) == "\xC5\xBF" ? 3 : 0;
    }
}

/// Splits one text by the rules of one encoding. A view: the text must outlive it.
template <split_rules Rules>
struct splitter {
    std::string_view text;

    /// The piece that begins at `position`, which is below `text.size()` and must be where a piece begins. Never empty.
    constexpr piece next(std::size_t position) const noexcept {
        if constexpr (Rules.by_script) return script_splitter{text}.next(position);
        auto const first = glyph_at(text, position);
        if constexpr (!Rules.by_case)
            if (auto const size = contraction(text, position)) return {position + size, true};
        if (first.kind == char_class::number) return digits(position);
        if (auto const result = word(position, first); result.end != 0) return result;
        auto const spaced = text[position] == ' ' && position + 1 < text.size();
        if (first.kind != char_class::space || (spaced && is_sign(glyph_at(text, position + 1).kind)))
            return signs(spaced ? position + 1 : position);
        return white_space(position, first);
    }

private:
    // Classes as the patterns join them: [^\s\p{L}\p{N}], and by case [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and
    // [\p{Ll}\p{Lm}\p{Lo}\p{M}].
    static constexpr bool is_sign(char_class kind) noexcept {
        return kind != char_class::space && kind != char_class::number && !is_letter(kind);
    }
    static constexpr bool is_upper(char_class kind) noexcept {
        return kind == char_class::upper || kind == char_class::caseless || kind == char_class::mark;
    }
    static constexpr bool is_lower(char_class kind) noexcept {
        return kind == char_class::lower || kind == char_class::caseless || kind == char_class::mark;
    }

    /// Extends `from` by the code points whose class `kind` accepts.
    template <class Kind>
    constexpr piece run(piece from, Kind kind) const noexcept {
        while (from.end < text.size()) {
            auto const next_glyph = glyph_at(text, from.end);
            if (!kind(next_glyph.kind)) break;
            from.end += next_glyph.size;
            from.valid &= next_glyph.valid;
        }
        return from;
    }

    /// At most Rules.digits digits.
    constexpr piece digits(std::size_t position) const noexcept {
        for (unsigned count = 0; count < Rules.digits && position < text.size(); ++count) {
            auto const next_glyph = glyph_at(text, position);
            if (next_glyph.kind != char_class::number) break;
            position += next_glyph.size;
        }
        return {position, true};
    }

    /// A word with the one character that may lead it, and by case with the contraction behind it. An end of 0 if there
    /// is none. The alternatives are tried in the order of the pattern.
    constexpr piece word(std::size_t position, glyph first) const noexcept {
        auto const letter = is_letter(first.kind);
        auto const lead = !letter && !is_line_end(text[position]);
        piece const after{position + first.size, first.valid};
        if constexpr (!Rules.by_case) {
            if (!letter && !lead) return {};
            auto const result = run(after, is_letter);
            return letter || result.end != after.end ? result : piece{};
        } else {
            piece result{};
            if (lead) result = lower_case_end(after);
            if (result.end == 0 && (letter || first.kind == char_class::mark))
                result = lower_case_end({position, true});
            if (result.end == 0 && letter) result = run({position, true}, is_upper);
            if (result.end == 0 && lead)
                if (result = run(after, is_upper); result.end == after.end) result = {};
            if (result.end != 0 && result.end < text.size()) result.end += contraction(text, result.end);
            return result;
        }
    }

    /// The end of `upper* lower+`, as a backtracking regular expression finds it: the longest run of upper, shortened
    /// until a lower follows. Caseless letters and marks are both, so the run may end after the last one of those.
    constexpr piece lower_case_end(piece from) const noexcept {
        std::size_t both = 0;  // the end of the run after its last caseless letter or mark
        auto position = from;
        while (position.end < text.size()) {
            auto const next_glyph = glyph_at(text, position.end);
            if (!is_upper(next_glyph.kind)) {
                if (next_glyph.kind == char_class::lower) return run(position, is_lower);
                break;
            }
            position.end += next_glyph.size;
            if (next_glyph.kind != char_class::upper) both = position.end;
        }
        return {both, from.valid};
    }

    /// Signs, and the line ends (and slashes) that follow them.
    constexpr piece signs(std::size_t position) const noexcept {
        auto result = run({position, true}, is_sign);
        while (result.end < text.size() &&
               (is_line_end(text[result.end]) || (Rules.takes_slashes && text[result.end] == '/')))
            ++result.end;
        return result;
    }

    /// White space up to its last line end; without one, all but its last character if something follows, which that
    /// character then leads.
    constexpr piece white_space(std::size_t position, glyph first) const noexcept {
        std::size_t lines = 0;  // the end of the last line end
        auto last = position;
        auto end = position;
        for (auto next_glyph = first; next_glyph.kind == char_class::space;) {
            last = end;
            end += next_glyph.size;
            if (is_line_end(text[last])) lines = end;
            if (end == text.size()) return {Rules.whole_at_end || lines == 0 ? end : lines, true};
            next_glyph = glyph_at(text, end);
        }
        return {lines != 0 ? lines : last != position ? last : end, true};
    }
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
