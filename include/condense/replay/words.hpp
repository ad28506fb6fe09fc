// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/fnv.hpp>

// Splits text into words and the gaps between them: an item is found again where its words and gaps are.

namespace condense {
inline namespace v1 {
namespace detail {

/// Letters, digits and underscores of ASCII, and every byte of other characters.
constexpr bool is_word_byte(char byte) noexcept {
    return is_digit(byte) || is_letter(byte) || byte == '_' || static_cast<unsigned char>(byte) >= 0x80;
}

/// The size of the escape that begins with the backslash at `index`: 2 for \n, \t, \r and a second backslash, as JSON
/// writes them, else 1. Without it the letter of \n would be taken for the beginning of the next word.
constexpr std::size_t escape_size(std::string_view text, std::size_t index) noexcept {
    if (index + 1 == text.size()) return 1;
    auto const next = text[index + 1];
    return next == 'n' || next == 't' || next == 'r' || next == '\\' ? 2 : 1;
}

/// A word and the bytes between it and the word before, as hashes.
struct word_print {
    std::uint64_t gap = 0;
    std::uint64_t word = 0;
    std::string_view text = {};  ///< the word itself, a view into the text
};

/// Calls f(word_print) for each word of the text, in order. Linear.
template <class Function>
constexpr void each_word(std::string_view text, Function&& f) {
    for (std::size_t position = 0; position < text.size();) {
        auto gap = fnv_basis;
        while (position < text.size() && !is_word_byte(text[position])) {
            auto const size = text[position] == '\\' ? escape_size(text, position) : 1;
            for (auto const end = position + size; position < end; ++position)
                gap = fnv1a(gap, static_cast<unsigned char>(text[position]));
        }
        if (position == text.size()) return;
        auto const begin = position;
        auto word = fnv_basis;
        for (; position < text.size() && is_word_byte(text[position]); ++position)
            word = fnv1a(word, static_cast<unsigned char>(text[position]));
        f(word_print{gap, word, text.substr(begin, position - begin)});
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
