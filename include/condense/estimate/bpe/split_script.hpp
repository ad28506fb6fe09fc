// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/estimate/bpe/char_class.hpp>
#include <condense/estimate/bpe/piece.hpp>

// Splits text by the rules of DeepSeek V3: groups of digits and runs of Han and kana are split off first, and what is
// between them is split as if it were a text of its own. Characters that no rule takes stay together.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Splits one text; has the interface of splitter. A view: the text must outlive it.
struct script_splitter {
    std::string_view text;

    /// The piece that begins at `position`, which is below `text.size()` and must be where a piece begins. The rules
    /// are tried in the order of the pattern.
    constexpr piece next(std::size_t position) const noexcept {
        auto const first = kind_at(position);
        if (first == kind::digit) return digits(position);
        if (first == kind::kana) return run(position, kind::kana);
        if (is_ascii_sign(text[position]) && position + 1 < text.size() && is_ascii_letter(text[position + 1])) {
            auto end = position + 1;
            while (end < text.size() && is_ascii_letter(text[end])) ++end;
            return {end, true};
        }
        if (first == kind::word) return run(position, kind::word);
        if (leads_word(position)) return run(after(position), kind::word);
        if (first == kind::sign || (text[position] == ' ' && kind_at(position + 1) == kind::sign))
            return signs(text[position] == ' ' ? position + 1 : position);
        if (first == kind::space) return white_space(position);
        auto end = position;
        while (kind_at(end) == kind::other && !leads_word(end)) end = after(end);
        return {end, true};
    }

    /// What the rules tell apart; `stop` is the end of the text.
    enum class kind : unsigned char { stop, digit, kana, word, sign, space, other };

    static constexpr bool is_ascii_letter(char byte) noexcept {
        return static_cast<unsigned char>((byte | 0x20) - 'a') < 26;
    }
    static constexpr bool is_ascii_sign(char byte) noexcept {
        return static_cast<unsigned char>(byte) < 0x80 &&
               class_of(static_cast<unsigned char>(byte)) == char_class::sign;
    }
    /// Where the code point at `position` ends.
    constexpr std::size_t after(std::size_t position) const noexcept {
        return position + glyph_at(text, position).size;
    }
    /// The kind of the code point at `position`, which may be the end.
    constexpr kind kind_at(std::size_t position) const noexcept {
        if (position >= text.size()) return kind::stop;
        auto const code_point = glyph_at(text, position);
        if (!code_point.valid) return kind::sign;  // as is U+FFFD, which replaces it
        if (code_point.size == 3 && is_kana(position)) return kind::kana;
        if (is_letter(code_point.kind) || code_point.kind == char_class::mark) return kind::word;
        if (code_point.kind == char_class::number) return kind::digit;
        return code_point.kind == char_class::sign    ? kind::sign
               : code_point.kind == char_class::space ? kind::space
                                                      : kind::other;
    }
    /// True for a character that may lead a word and has a word behind it.
    constexpr bool leads_word(std::size_t position) const noexcept {
        auto const current = kind_at(position);
        return (current == kind::space || current == kind::other) && !is_line_end(text[position]) &&
               kind_at(after(position)) == kind::word;
    }

private:
    /// True for Han from U+4E00 to U+9FA5, hiragana and katakana; the code point must have three bytes.
    constexpr bool is_kana(std::size_t position) const noexcept {
        auto const byte = [&](std::size_t ahead) {
            return std::uint32_t{static_cast<unsigned char>(text[position + ahead])};
        };
        if (byte(0) < 0xE3 || byte(0) > 0xE9) return false;
        auto const point = (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
        return (point >= 0x4E00 && point <= 0x9FA5) || (point >= 0x3040 && point <= 0x30FF);
    }
    /// At most three digits.
    constexpr piece digits(std::size_t position) const noexcept {
        for (int count = 0; count < 3 && kind_at(position) == kind::digit; ++count) position = after(position);
        return {position, true};
    }
    /// The code points of one kind from `position` on.
    constexpr piece run(std::size_t position, kind wanted) const noexcept {
        piece result{position, true};
        while (kind_at(result.end) == wanted) {
            result.valid &= glyph_at(text, result.end).valid;
            result.end = after(result.end);
        }
        return result;
    }
    /// Signs, and the line ends that follow them.
    constexpr piece signs(std::size_t position) const noexcept {
        auto result = run(position, kind::sign);
        while (result.end < text.size() && is_line_end(text[result.end])) ++result.end;
        return result;
    }
    /// White space up to its last line end; else all of it at the end of a stretch; else all but its last character,
    /// which leads what follows.
    constexpr piece white_space(std::size_t position) const noexcept {
        std::size_t lines = 0;
        auto last = position;
        auto end = position;
        while (kind_at(end) == kind::space) {
            last = end;
            end = after(end);
            if (is_line_end(text[last])) lines = end;
        }
        auto const follows = kind_at(end);
        bool const at_boundary = follows == kind::stop || follows == kind::digit || follows == kind::kana;
        return {lines != 0 ? lines : at_boundary || last == position ? end : last, true};
    }
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
