// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

// Letters and digits of ASCII. Unlike <cctype>, independent of the locale and defined for every byte.

namespace condense {
inline namespace v1 {
namespace detail {

constexpr bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }
constexpr bool is_upper(char byte) noexcept { return byte >= 'A' && byte <= 'Z'; }
/// Changes upper case letters only; bytes of other characters stay as they are.
constexpr char lowered(char byte) noexcept { return is_upper(byte) ? static_cast<char>(byte - 'A' + 'a') : byte; }
constexpr bool is_letter(char byte) noexcept { return lowered(byte) >= 'a' && lowered(byte) <= 'z'; }

/// True if `word` is one of the space-separated `words`, in letters of either case.
constexpr bool is_one_of(std::string_view word, std::string_view words) noexcept {
    if (word.empty()) return false;
    for (std::size_t position = 0; position < words.size();) {
        auto const end = words.find(' ', position) < words.size() ? words.find(' ', position) : words.size();
        bool equal = end - position == word.size();
        for (std::size_t index = 0; equal && index < word.size(); ++index)
            equal = lowered(word[index]) == words[position + index];
        if (equal) return true;
        position = end + 1;
    }
    return false;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
