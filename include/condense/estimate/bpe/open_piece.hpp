// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <condense/estimate/bpe/char_class.hpp>
#include <condense/estimate/bpe/prefix_counts.hpp>
#include <condense/estimate/bpe/safe_cut.hpp>
#include <condense/estimate/bpe/split.hpp>
#include <condense/estimate/bpe/vocabulary.hpp>

// A long piece at the end of a text that grows. Its kind alone decides whether the next character belongs to it, so
// neither its text nor the rules are gone through again for every append.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// What continues a piece. A piece of white space or capitals may turn out to have ended earlier.
enum class piece_kind : std::uint8_t {
    word,
    capitals,  ///< by case, no small letter yet: one joins all, else the piece ends after the last caseless letter
    lower_case,  ///< by case, from the first small letter on
    latin,     ///< by script, ASCII letters after an ASCII sign
    kana,      ///< by script
    signs,
    lines,     ///< line ends after signs
    white,     ///< white space; ends after its last line end, or before its last character
    other,     ///< by script; ends before its last character if a word follows
};

/// True if a piece that ends at `end`, with eight bytes or more after it, could still end elsewhere when more text is
/// appended.
template <split_rules Rules>
constexpr bool may_reach_beyond(std::string_view text, std::size_t end) noexcept {
    auto const next = glyph_at(text, end).kind;
    if (next == char_class::space) return is_line_end(text[end - 1]);
    if (!Rules.by_case || next != char_class::upper) return false;
    auto const before = glyph_before(text, end).kind;
    return before == char_class::caseless || before == char_class::mark;
}

/// Counts the tokens of one piece while it grows; needs a vocabulary whose tables are ordered. A value: a copy goes on
/// from there by itself. Memory does not depend on the size of the piece.
class open_piece {
public:
    /// `text` begins with a piece that may have no end yet, and has two characters at least. Consumes nothing.
    open_piece(bpe_vocabulary vocabulary, std::string_view text) : vocabulary_{std::move(vocabulary)} {
        with_scheme([&]<split_rules Rules>() { kind_ = begin<Rules>(text); });
    }

    /// Adds the part of `text` that belongs to the piece and returns its size. If the piece has ended, the remainder
    /// follows it; if not, the remainder is an incomplete code point or contraction and must be passed again with more
    /// text behind it. With `last` no more text will come, and nothing is incomplete.
    std::size_t consume(std::string_view text, bool last = false) {
        std::size_t position = 0;
        with_scheme([&]<split_rules Rules>() {
            while (position < text.size() && !ended_) {
                auto const size = next<Rules>(text.substr(position), last);
                if (size == 0) break;
                position += size;
            }
        });
        return position;
    }

    /// True once a character came that does not belong to the piece.
    bool ended() const noexcept { return ended_; }
    /// The tokens of the piece, without what is given back, as if the text ended here.
    std::uint64_t count() const noexcept {
        auto const& in = vocabulary_.tables();
        auto const less = given_back().size();
        // White space that ends the text is one piece in some schemes, whatever line ends it has.
        bool const joined = kind_ == piece_kind::white && !ended_ && rules_of(vocabulary_.scheme()).whole_at_end;
        return !marked_ || joined ? whole_piece_.count(in, less) : count_to_mark_ + after_mark_.count(in, less);
    }
    /// The last character, if it turned out to begin the next piece; else empty. Valid until the next call.
    std::string_view given_back() const noexcept {
        return last_given_back_ ? std::string_view{last_char_} : std::string_view{};
    }

private:
    template <class Visitor>
    void with_scheme(Visitor visit) {
        with_rules(vocabulary_.scheme(), visit);
    }

    /// The kind of the piece that `text` begins with, by its first two characters.
    template <split_rules Rules>
    piece_kind begin(std::string_view text) {
        auto const first = glyph_at(text, 0);
        auto const after = glyph_at(text, first.size).kind;
        if constexpr (Rules.by_script) {
            script_splitter const split{text};
            using kind = script_splitter::kind;
            auto const first_kind = split.kind_at(0);
            bool const latin = split.is_ascii_sign(text[0]) && split.is_ascii_letter(text[first.size]);
            bool const signs = text[0] == ' ' && split.kind_at(1) == kind::sign;
            if (first_kind == kind::kana) return piece_kind::kana;
            if (latin) return piece_kind::latin;
            if (first_kind == kind::word || split.leads_word(0)) return piece_kind::word;
            if (first_kind == kind::sign || signs) return piece_kind::signs;
            return first_kind == kind::space ? piece_kind::white : piece_kind::other;
        } else {
            if (first.kind == char_class::space && (is_line_end(text[0]) || after == char_class::space))
                return piece_kind::white;
            auto const word = is_letter(first.kind) || is_letter(after) || (Rules.by_case && after == char_class::mark);
            return !word ? piece_kind::signs : Rules.by_case ? piece_kind::capitals : piece_kind::word;
        }
    }

    /// Adds the first character of `text` and returns its bytes; 0 if it is incomplete or ends the piece.
    template <split_rules Rules>
    std::size_t next(std::string_view text, bool last) {
        auto const current = glyph_at(text, 0);
        // The begin of a character whose other bytes have not come yet: a lead byte from 0xC2 to 0xF4.
        if (!last && !current.valid && current.size == text.size() && static_cast<unsigned char>(text[0] - 0xC2) < 0x33)
            return 0;
        // The first character may lead the piece without being of its kind, such as the space before a word.
        auto const first = std::exchange(first_, false);
        if (continues_piece<Rules>(text, current) || first) {
            add(current.valid ? text.substr(0, current.size) : std::string_view{"\xEF\xBF\xBD"});
            auto const caseless = current.kind == char_class::caseless || current.kind == char_class::mark;
            if (kind_ == piece_kind::white ? is_line_end(text[0]) : kind_ == piece_kind::capitals && caseless) mark();
            return current.size;
        }
        if constexpr (Rules.by_case)
            if ((kind_ == piece_kind::capitals || kind_ == piece_kind::lower_case) && text[0] == '\'') {
                if (!last && text.size() < 3 && contraction(text, 0) == 0) return 0;
                auto const size = contraction(text, 0);
                marked_ &= !after_mark_.empty();
                add(text.substr(0, size));
                ended_ = true;
                return size;
            }
        ended_ = true;
        last_given_back_ = must_give_back<Rules>(text);
        return 0;
    }

    /// True if a character belongs to the piece; updates the kind for the characters after it.
    template <split_rules Rules>
    bool continues_piece(std::string_view text, glyph current) {
        auto const line_end = is_line_end(text[0]);
        auto is_word = is_letter(current.kind);
        auto is_sign = !is_word && current.kind != char_class::space && current.kind != char_class::number;
        if constexpr (Rules.by_script) {
            auto const script_kind = script_splitter{text}.kind_at(0);
            if (kind_ == piece_kind::latin) return script_splitter::is_ascii_letter(text[0]);
            if (kind_ == piece_kind::kana) return script_kind == script_splitter::kind::kana;
            if (kind_ == piece_kind::other) return script_kind == script_splitter::kind::other;
            is_word = script_kind == script_splitter::kind::word;
            is_sign = script_kind == script_splitter::kind::sign;
        }
        auto const caseless = current.kind == char_class::caseless || current.kind == char_class::mark;
        switch (kind_) {
            case piece_kind::word: return is_word;
            case piece_kind::capitals:
                if (current.kind != char_class::lower) return caseless || current.kind == char_class::upper;
                kind_ = piece_kind::lower_case;
                marked_ = false;
                return true;
            case piece_kind::lower_case: return caseless || current.kind == char_class::lower;
            case piece_kind::signs:
                if (line_end) kind_ = piece_kind::lines;
                return line_end || is_sign;
            case piece_kind::lines: return line_end || (Rules.takes_slashes && text[0] == '/');
            default: return current.kind == char_class::space;
        }
    }

    /// True if the piece, which `text` follows, ends before its last character.
    template <split_rules Rules>
    bool must_give_back(std::string_view text) const noexcept {
        if constexpr (Rules.by_script) {
            auto const follows = script_splitter{text}.kind_at(0);
            if (kind_ == piece_kind::other) return follows == script_splitter::kind::word;
            if (follows == script_splitter::kind::digit || follows == script_splitter::kind::kana) return false;
        }
        return kind_ == piece_kind::white && !is_line_end(last_char_.back());
    }

    /// Counts a character with the piece and, if there is a mark, with what follows that.
    void add(std::string_view bytes) {
        auto const& in = vocabulary_.tables();
        whole_piece_.add(in, bytes);
        if (marked_) after_mark_.add(in, bytes);
        last_char_ = bytes;
    }
    /// Notes that the piece ends here unless what follows joins it: a small letter, or another line end.
    void mark() {
        marked_ = true;
        count_to_mark_ = whole_piece_.count(vocabulary_.tables());
        after_mark_.clear();
    }

    bpe_vocabulary vocabulary_;
    piece_kind kind_ = piece_kind::word;
    bool first_ = true;  ///< the first character belongs to the piece, whatever it is
    bool ended_ = false;
    bool last_given_back_ = false;
    bool marked_ = false;  ///< the piece may turn out to have ended at the mark
    std::uint64_t count_to_mark_ = 0;  ///< tokens up to the mark
    prefix_counts whole_piece_;
    prefix_counts after_mark_;  ///< of what follows the mark
    std::string last_char_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
