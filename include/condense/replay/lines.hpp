// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/words.hpp>
#include <condense/replay/reading.hpp>

// What stands around an item: its line, and its label, which is the key of the JSON value that holds it, or else the
// nearest word of letters before it on the line.

namespace condense {
inline namespace v1 {
namespace detail {

/// True for a word of letters and underscores, which may say what stands behind it.
constexpr bool is_label(std::string_view word) noexcept {
    bool has_letter = false;
    for (char const byte : word) {
        if (is_digit(byte)) return false;
        has_letter = has_letter || byte != '_';
    }
    return has_letter;
}

/// Follows the words of a text, line by line. Views into the text, which must outlive it.
class line_cursor {
public:
    explicit constexpr line_cursor(std::string_view text) noexcept : text_{text} {}

    /// Moves to the next word of the text. True if a line begins before it.
    constexpr bool next(std::string_view word) noexcept {
        auto const gap = text_.substr(end_, offset(word) - end_);
        auto const line_break = gap.rfind('\n');
        bool const breaks = line_break != std::string_view::npos;
        if (breaks) {
            line_ = end_ + line_break + 1;
            key_ = {};
        } else if (ends_key(gap)) key_ = word_;
        word_ = word;
        end_ = offset(word) + word.size();
        return breaks;
    }

    /// The label of an item that ends with the latest word; empty if nothing says what it is.
    constexpr std::string_view label_of(std::string_view item) const noexcept {
        if (!key_.empty()) return key_;
        auto const past = offset(item);
        auto begin = past > line_ + reach ? past - reach : line_;
        while (begin > line_ && begin < past && is_word_byte(text_[begin]) && is_word_byte(text_[begin - 1])) --begin;
        std::string_view nearest;
        if (begin < past)
            each_word(text_.substr(begin, past - begin), [&](word_print const& word) {
                if (is_label(word.text)) nearest = word.text;
            });
        return nearest;
    }

    /// Where the line of the latest word begins.
    constexpr std::size_t line() const noexcept { return line_; }
    /// True if that line is quoted: `> ` stands before it.
    constexpr bool is_quotation() const noexcept { return text_.substr(line_).starts_with(quotation_mark); }
    /// A hash of that line, without the space around it, as far as it is compared; of a quotation without its mark.
    std::uint64_t line_print(bool of_quotation = false) const noexcept {
        auto line = text_.substr(line_ + (of_quotation ? quotation_mark.size() : 0));
        while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
        line = line.substr(0, compared);
        line = line.substr(0, line.find('\n'));
        while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
            line.remove_suffix(1);
        return print_of(line);
    }

private:
    static constexpr std::string_view quotation_mark = "> ";
    static constexpr std::size_t reach = 40;  ///< bytes before an item in which its label may stand
    static constexpr std::size_t compared = 160;  ///< bytes of a line

    constexpr std::size_t offset(std::string_view part) const noexcept {
        return static_cast<std::size_t>(part.data() - text_.data());
    }
    /// True if a word before the gap is the key of a JSON member: a quote and a colon follow it.
    static constexpr bool ends_key(std::string_view gap) noexcept {
        if (!gap.empty() && gap.front() == '\\') gap.remove_prefix(1);
        if (gap.empty() || gap.front() != '"') return false;
        gap.remove_prefix(1);
        while (!gap.empty() && gap.front() == ' ') gap.remove_prefix(1);
        return !gap.empty() && gap.front() == ':';
    }

    std::string_view text_;
    std::string_view word_;  ///< the latest word
    std::string_view key_;  ///< the latest on the line
    std::size_t end_ = 0;  ///< of the latest word
    std::size_t line_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
