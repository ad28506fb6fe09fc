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

// A long piece at the end of a text that grows: of what its characters are decides whether the next one is
// of it, so neither the text nor the rules are gone through again.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// What a piece goes on with. Within white space, and within capitals, it may turn out to have ended.
enum class piece_kind : std::uint8_t {
    word,
    capitals,  ///< by case: no lower letter yet; one joins all, else the piece ends after the last caseless one
    lower_case,  ///< by case: from the first lower letter on
    latin,     ///< by script: ASCII letters after an ASCII sign
    kana,      ///< by script
    signs,
    lines,     ///< line ends after signs
    white,     ///< ends after its last line end, or before its last character
    other,     ///< by script: ends before its last character where a word follows
};

/// Whether a piece that ends at `end`, with eight bytes or more after it, may still become another.
template <split_rules Rules>
constexpr bool may_reach_beyond(std::string_view text, std::size_t end) noexcept {
    auto const next = glyph_at(text, end).kind;
    if (next == char_class::space) return is_line_end(text[end - 1]);
    if (!Rules.by_case || next != char_class::upper) return false;
    auto const before = glyph_before(text, end).kind;
    return before == char_class::caseless || before == char_class::mark;
}

class open_piece {
public:
    /// `text` begins with a piece that may have no end yet, and has some characters.
    open_piece(bpe_vocabulary vocabulary, std::string_view text) : vocabulary_{std::move(vocabulary)} {
        with([&]<split_rules Rules>() { kind_ = begin<Rules>(text); });
    }

    /// Takes what of `text` is of the piece. What is left follows it, once it has ended; before, it is an
    /// unfinished code point or contraction, and comes again with more, or as `last`: then nothing is unfinished.
    std::size_t take(std::string_view text, bool last = false) {
        std::size_t at = 0;
        with([&]<split_rules Rules>() {
            while (at < text.size() && !ended_) {
                auto const size = next<Rules>(text.substr(at), last);
                if (size == 0) break;
                at += size;
            }
        });
        return at;
    }

    bool ended() const noexcept { return ended_; }
    /// Tokens of what was taken and not given back, as if the text ended here.
    std::uint64_t count() const noexcept {
        auto const& in = vocabulary_.tables();
        auto const less = given_back().size();
        bool const joined = kind_ == piece_kind::white && !ended_ && rules_of(vocabulary_.scheme()).whole_at_end;
        return !marked_ || joined ? whole_.count(in, less) : until_mark_ + rest_.count(in, less);
    }
    /// The last character, where it turned out to begin the next piece.
    std::string_view given_back() const noexcept {
        return gives_back_ ? std::string_view{newest_} : std::string_view{};
    }

private:
    template <class Visitor>
    void with(Visitor visit) {
        with_rules(vocabulary_.scheme(), visit);
    }

    template <split_rules Rules>
    piece_kind begin(std::string_view text) {
        auto const first = glyph_at(text, 0);
        auto const after = glyph_at(text, first.size).kind;
        if constexpr (Rules.by_script) {
            script_splitter const split{text};
            using kind = script_splitter::kind;
            auto const is = split.kind_at(0);
            bool const latin = split.is_ascii_sign(text[0]) && split.is_ascii_letter(text[first.size]);
            bool const signs = text[0] == ' ' && split.kind_at(1) == kind::sign;
            if (is == kind::kana) return piece_kind::kana;
            if (latin) return piece_kind::latin;
            if (is == kind::word || split.leads_word(0)) return piece_kind::word;
            if (is == kind::sign || signs) return piece_kind::signs;
            return is == kind::space ? piece_kind::white : piece_kind::other;
        } else {
            if (first.kind == char_class::space && (is_line_end(text[0]) || after == char_class::space))
                return piece_kind::white;
            auto const word = is_letter(first.kind) || is_letter(after) || (Rules.by_case && after == char_class::mark);
            return !word ? piece_kind::signs : Rules.by_case ? piece_kind::capitals : piece_kind::word;
        }
    }

    /// The bytes of the next character where it was taken; 0 where it can not be said yet, or has ended the piece.
    template <split_rules Rules>
    std::size_t next(std::string_view text, bool last) {
        auto const each = glyph_at(text, 0);
        if (!last && !each.valid && each.size == text.size() && static_cast<unsigned char>(text[0] - 0xC2) < 0x33)
            return 0;
        auto const first = std::exchange(first_, false);
        if (goes_on<Rules>(text, each) || first) {
            add(each.valid ? text.substr(0, each.size) : std::string_view{"\xEF\xBF\xBD"});
            auto const caseless = each.kind == char_class::caseless || each.kind == char_class::mark;
            if (kind_ == piece_kind::white ? is_line_end(text[0]) : kind_ == piece_kind::capitals && caseless) mark();
            return each.size;
        }
        if constexpr (Rules.by_case)
            if ((kind_ == piece_kind::capitals || kind_ == piece_kind::lower_case) && text[0] == '\'') {
                if (!last && text.size() < 3 && contraction(text, 0) == 0) return 0;
                auto const size = contraction(text, 0);
                marked_ &= !rest_.empty();
                add(text.substr(0, size));
                ended_ = true;
                return size;
            }
        ended_ = true;
        gives_back_ = gives_back<Rules>(text);
        return 0;
    }

    /// Whether a character is of the piece; what the piece is from there on.
    template <split_rules Rules>
    bool goes_on(std::string_view text, glyph each) {
        auto const line_end = is_line_end(text[0]);
        auto is_word = is_letter(each.kind);
        auto is_sign = !is_word && each.kind != char_class::space && each.kind != char_class::number;
        if constexpr (Rules.by_script) {
            auto const is = script_splitter{text}.kind_at(0);
            if (kind_ == piece_kind::latin) return script_splitter::is_ascii_letter(text[0]);
            if (kind_ == piece_kind::kana) return is == script_splitter::kind::kana;
            if (kind_ == piece_kind::other) return is == script_splitter::kind::other;
            is_word = is == script_splitter::kind::word;
            is_sign = is == script_splitter::kind::sign;
        }
        auto const caseless = each.kind == char_class::caseless || each.kind == char_class::mark;
        switch (kind_) {
            case piece_kind::word: return is_word;
            case piece_kind::capitals:
                if (each.kind != char_class::lower) return caseless || each.kind == char_class::upper;
                kind_ = piece_kind::lower_case;
                marked_ = false;
                return true;
            case piece_kind::lower_case: return caseless || each.kind == char_class::lower;
            case piece_kind::signs:
                if (line_end) kind_ = piece_kind::lines;
                return line_end || is_sign;
            case piece_kind::lines: return line_end || (Rules.takes_slashes && text[0] == '/');
            default: return each.kind == char_class::space;
        }
    }

    template <split_rules Rules>
    bool gives_back(std::string_view text) const noexcept {
        if constexpr (Rules.by_script) {
            auto const follows = script_splitter{text}.kind_at(0);
            if (kind_ == piece_kind::other) return follows == script_splitter::kind::word;
            if (follows == script_splitter::kind::digit || follows == script_splitter::kind::kana) return false;
        }
        return kind_ == piece_kind::white && !is_line_end(newest_.back());
    }

    void add(std::string_view bytes) {
        auto const& in = vocabulary_.tables();
        whole_.add(in, bytes);
        if (marked_) rest_.add(in, bytes);
        newest_ = bytes;
    }
    /// The piece ends here unless more joins it.
    void mark() {
        marked_ = true;
        until_mark_ = whole_.count(vocabulary_.tables());
        rest_.clear();
    }

    bpe_vocabulary vocabulary_;
    piece_kind kind_ = piece_kind::word;
    bool first_ = true;  ///< the first character is of the piece, whatever it is
    bool ended_ = false;
    bool gives_back_ = false;
    bool marked_ = false;
    std::uint64_t until_mark_ = 0;  ///< tokens
    prefix_counts whole_;
    prefix_counts rest_;  ///< what follows the mark
    std::string newest_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
