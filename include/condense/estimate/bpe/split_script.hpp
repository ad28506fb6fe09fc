// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/estimate/bpe/char_class.hpp>
#include <condense/estimate/bpe/piece.hpp>

// The rules of DeepSeek V3: digits in groups and runs of Han and kana are taken out first, and what is between
// them is split as if each stretch were a text of its own. Characters that no rule takes stay together.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

struct script_splitter {
    std::string_view text;

    constexpr piece next(std::size_t at) const noexcept {
        auto const first = kind_at(at);
        if (first == kind::digit) return digits(at);
        if (first == kind::kana) return run(at, kind::kana);
        if (is_ascii_sign(text[at]) && at + 1 < text.size() && is_ascii_letter(text[at + 1])) {
            auto end = at + 1;
            while (end < text.size() && is_ascii_letter(text[end])) ++end;
            return {end, true};
        }
        if (first == kind::word) return run(at, kind::word);
        if (leads_word(at)) return run(after(at), kind::word);
        if (first == kind::sign || (text[at] == ' ' && kind_at(at + 1) == kind::sign))
            return signs(text[at] == ' ' ? at + 1 : at);
        if (first == kind::space) return white(at);
        auto end = at;
        while (kind_at(end) == kind::other && !leads_word(end)) end = after(end);
        return {end, true};
    }

    enum class kind : unsigned char { stop, digit, kana, word, sign, space, other };

    static constexpr bool is_ascii_letter(char byte) noexcept {
        return static_cast<unsigned char>((byte | 0x20) - 'a') < 26;
    }
    static constexpr bool is_ascii_sign(char byte) noexcept {
        return static_cast<unsigned char>(byte) < 0x80 &&
               class_of(static_cast<unsigned char>(byte)) == char_class::sign;
    }
    constexpr std::size_t after(std::size_t at) const noexcept { return at + glyph_at(text, at).size; }
    constexpr kind kind_at(std::size_t at) const noexcept {
        if (at >= text.size()) return kind::stop;
        auto const found = glyph_at(text, at);
        if (!found.valid) return kind::sign;  // U+FFFD is one
        if (found.size == 3 && is_kana(at)) return kind::kana;
        if (is_letter(found.kind) || found.kind == char_class::mark) return kind::word;
        if (found.kind == char_class::number) return kind::digit;
        return found.kind == char_class::sign    ? kind::sign
               : found.kind == char_class::space ? kind::space
                                                 : kind::other;
    }
    /// A character that may stand before a word, and does.
    constexpr bool leads_word(std::size_t at) const noexcept {
        auto const each = kind_at(at);
        return (each == kind::space || each == kind::other) && !is_line_end(text[at]) &&
               kind_at(after(at)) == kind::word;
    }

private:
    /// Of a code point of three bytes.
    constexpr bool is_kana(std::size_t at) const noexcept {
        auto const byte = [&](std::size_t ahead) {
            return std::uint32_t{static_cast<unsigned char>(text[at + ahead])};
        };
        if (byte(0) < 0xE3 || byte(0) > 0xE9) return false;
        auto const point = (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
        return (point >= 0x4E00 && point <= 0x9FA5) || (point >= 0x3040 && point <= 0x30FF);
    }
    constexpr piece digits(std::size_t at) const noexcept {
        for (int taken = 0; taken < 3 && kind_at(at) == kind::digit; ++taken) at = after(at);
        return {at, true};
    }
    constexpr piece run(std::size_t at, kind wanted) const noexcept {
        piece out{at, true};
        while (kind_at(out.end) == wanted) {
            out.valid &= glyph_at(text, out.end).valid;
            out.end = after(out.end);
        }
        return out;
    }
    constexpr piece signs(std::size_t at) const noexcept {
        auto out = run(at, kind::sign);
        while (out.end < text.size() && is_line_end(text[out.end])) ++out.end;
        return out;
    }
    constexpr piece white(std::size_t at) const noexcept {
        std::size_t lines = 0;
        auto last = at;
        auto end = at;
        while (kind_at(end) == kind::space) {
            last = end;
            end = after(end);
            if (is_line_end(text[last])) lines = end;
        }
        auto const follows = kind_at(end);
        bool const alone = follows == kind::stop || follows == kind::digit || follows == kind::kana;
        return {lines != 0 ? lines : alone || last == at ? end : last, true};
    }
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
