// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/fnv.hpp>

// Text as words and what is between them, the measure by which items are found again.

namespace condense {
inline namespace v1 {
namespace detail {

/// Letters, digits and underscores of ASCII, and every byte of other characters.
constexpr bool is_word_byte(char byte) noexcept {
    return is_digit(byte) || is_letter(byte) || byte == '_' || static_cast<unsigned char>(byte) >= 0x80;
}

/// Of the backslash at `at` and the letter that it makes a control character of, as in JSON; 1 without one.
constexpr std::size_t escape_size(std::string_view text, std::size_t at) noexcept {
    if (at + 1 == text.size()) return 1;
    auto const next = text[at + 1];
    return next == 'n' || next == 't' || next == 'r' || next == '\\' ? 2 : 1;
}

/// A word with what stands before it, as hashes.
struct word_print {
    std::uint64_t gap = 0;
    std::uint64_t word = 0;
    std::string_view text = {};
};

/// Calls f(word_print) for each word of the text, in order.
template <class Function>
constexpr void each_word(std::string_view text, Function&& f) {
    for (std::size_t at = 0; at < text.size();) {
        auto gap = fnv_basis;
        while (at < text.size() && !is_word_byte(text[at])) {
            auto const size = text[at] == '\\' ? escape_size(text, at) : 1;
            for (auto const end = at + size; at < end; ++at) gap = fnv1a(gap, static_cast<unsigned char>(text[at]));
        }
        if (at == text.size()) return;
        auto const begin = at;
        auto word = fnv_basis;
        for (; at < text.size() && is_word_byte(text[at]); ++at)
            word = fnv1a(word, static_cast<unsigned char>(text[at]));
        f(word_print{gap, word, text.substr(begin, at - begin)});
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
