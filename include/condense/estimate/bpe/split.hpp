// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/estimate/bpe/char_class.hpp>
#include <condense/estimate/bpe/piece.hpp>
#include <condense/estimate/bpe/split_rules.hpp>
#include <condense/estimate/bpe/split_script.hpp>

// Where the piece that begins at a place ends, one code point at a time: the reference for the fast
// way, and what takes text that is not ASCII. No place of a text is looked at more than a few times.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Bytes of a contraction such as 's, 'LL or, by simple case folding, ' and a long s; 0 where there is none.
constexpr std::size_t contraction(std::string_view text, std::size_t at) noexcept {
    if (text.size() - at < 2 || text[at] != '\'') return 0;
    auto const folded = [&](std::size_t ahead) {
        return at + ahead < text.size() ? static_cast<char>(text[at + ahead] | 0x20) : '\0';
    };
    switch (folded(1)) {
        case 's':
        case 't':
        case 'm':
        case 'd': return 2;
        case 'l': return folded(2) == 'l' ? 3 : 0;
        case 'v':
        case 'r': return folded(2) == 'e' ? 3 : 0;
        default: return text.substr(at + 1, 2) == "\xC5\xBF" ? 3 : 0;
    }
}

/// The rules of one encoding over one text.
template <split_rules Rules>
struct splitter {
    std::string_view text;

    /// The end of the piece that begins at `at`, which is below `text.size()`.
    constexpr piece next(std::size_t at) const noexcept {
        if constexpr (Rules.by_script) return script_splitter{text}.next(at);
        auto const first = glyph_at(text, at);
        if constexpr (!Rules.by_case)
            if (auto const size = contraction(text, at)) return {at + size, true};
        if (first.kind == char_class::number) return digits(at);
        if (auto const found = word(at, first); found.end != 0) return found;
        auto const spaced = text[at] == ' ' && at + 1 < text.size();
        if (first.kind != char_class::space || (spaced && is_sign(glyph_at(text, at + 1).kind)))
            return signs(spaced ? at + 1 : at);
        return white(at, first);
    }

private:
    static constexpr bool is_sign(char_class kind) noexcept {
        return kind != char_class::space && kind != char_class::number && !is_letter(kind);
    }
    static constexpr bool is_upper(char_class kind) noexcept {
        return kind == char_class::upper || kind == char_class::caseless || kind == char_class::mark;
    }
    static constexpr bool is_lower(char_class kind) noexcept {
        return kind == char_class::lower || kind == char_class::caseless || kind == char_class::mark;
    }

    /// Where the code points that `kind` takes end.
    template <class Kind>
    constexpr piece run(piece from, Kind kind) const noexcept {
        while (from.end < text.size()) {
            auto const each = glyph_at(text, from.end);
            if (!kind(each.kind)) break;
            from.end += each.size;
            from.valid &= each.valid;
        }
        return from;
    }

    constexpr piece digits(std::size_t at) const noexcept {
        for (unsigned taken = 0; taken < Rules.digits && at < text.size(); ++taken) {
            auto const each = glyph_at(text, at);
            if (each.kind != char_class::number) break;
            at += each.size;
        }
        return {at, true};
    }

    /// A word with what may stand before it; an end of 0 where there is none.
    constexpr piece word(std::size_t at, glyph first) const noexcept {
        auto const letter = is_letter(first.kind);
        auto const lead = !letter && !is_line_end(text[at]);
        piece const after{at + first.size, first.valid};
        if constexpr (!Rules.by_case) {
            if (!letter && !lead) return {};
            auto const found = run(after, is_letter);
            return letter || found.end != after.end ? found : piece{};
        } else {
            piece found{};
            if (lead) found = small_end(after);
            if (found.end == 0 && (letter || first.kind == char_class::mark)) found = small_end({at, true});
            if (found.end == 0 && letter) found = run({at, true}, is_upper);
            if (found.end == 0 && lead)
                if (found = run(after, is_upper); found.end == after.end) found = {};
            if (found.end != 0 && found.end < text.size()) found.end += contraction(text, found.end);
            return found;
        }
    }

    /// The longest run of upper, given back as far as a lower must follow, and then lower: `upper* lower+`.
    constexpr piece small_end(piece from) const noexcept {
        std::size_t both = 0;
        auto at = from;
        while (at.end < text.size()) {
            auto const each = glyph_at(text, at.end);
            if (!is_upper(each.kind)) {
                if (each.kind == char_class::lower) return run(at, is_lower);
                break;
            }
            at.end += each.size;
            if (each.kind != char_class::upper) both = at.end;
        }
        return {both, from.valid};
    }

    constexpr piece signs(std::size_t at) const noexcept {
        auto found = run({at, true}, is_sign);
        while (found.end < text.size() &&
               (is_line_end(text[found.end]) || (Rules.takes_slashes && text[found.end] == '/')))
            ++found.end;
        return found;
    }

    /// White space up to its last line end; else, when something follows, all but its last character.
    constexpr piece white(std::size_t at, glyph first) const noexcept {
        std::size_t lines = 0;
        auto last = at;
        auto end = at;
        for (auto each = first; each.kind == char_class::space;) {
            last = end;
            end += each.size;
            if (is_line_end(text[last])) lines = end;
            if (end == text.size()) return {Rules.whole_at_end || lines == 0 ? end : lines, true};
            each = glyph_at(text, end);
        }
        return {lines != 0 ? lines : last != at ? last : end, true};
    }
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
