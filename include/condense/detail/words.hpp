// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/fnv.hpp>

// Splits text into words and the gaps between them: an item is found again where its words and gaps are.

namespace condense {
inline namespace v1 {
namespace detail {

/// Kinds of bytes, a bit each, for tests of many bytes at once.
enum byte_kind : unsigned char {
    lower_letter = 1,
    upper_letter = 2,
    digit_byte = 4,
    underscore_byte = 8,
    wide_byte = 16,       ///< of characters outside ASCII
    joining_byte = 32,    ///< `.-/~`, which may occur in a name
    separating_byte = 64  ///< `:@+%=?&#,`, which may occur in a URL, and else end a name
};
inline constexpr unsigned char word_byte = lower_letter | upper_letter | digit_byte | underscore_byte | wide_byte;

inline constexpr auto byte_kinds = [] {
    std::array<unsigned char, 256> kinds{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
        auto const letter = static_cast<char>(static_cast<unsigned char>(byte));
        if (byte >= 0x80) kinds[byte] = wide_byte;
        else if (is_digit(letter)) kinds[byte] = digit_byte;
        else if (is_letter(letter)) kinds[byte] = is_upper(letter) ? upper_letter : lower_letter;
    }
    kinds['_'] = underscore_byte;
    for (char const sign : std::string_view{".-/~"}) kinds[static_cast<unsigned char>(sign)] = joining_byte;
    for (char const sign : std::string_view{":@+%=?&#,"}) kinds[static_cast<unsigned char>(sign)] = separating_byte;
    return kinds;
}();

constexpr unsigned char kind_of(char byte) noexcept { return byte_kinds[static_cast<unsigned char>(byte)]; }
/// Letters, digits and underscores of ASCII, and every byte of other characters.
constexpr bool is_word_byte(char byte) noexcept { return (kind_of(byte) & word_byte) != 0; }

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
