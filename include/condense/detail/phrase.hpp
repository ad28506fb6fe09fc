// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/saturate.hpp>

// Finds a phrase with numbers in text of any case: "prompt is too long: # tokens > % maximum". Each step looks a fixed
// number of bytes ahead, without backtracking, so the cost is bounded.

namespace condense {
inline namespace v1 {
namespace detail {

/// The numbers of a phrase; 0 where it has none. Numbers above 64 bits count as the limit.
struct phrase_numbers {
    std::uint64_t first = 0;   ///< the sum of all `#`
    std::uint64_t second = 0;  ///< `%`

    friend constexpr bool operator==(phrase_numbers, phrase_numbers) = default;
};

inline constexpr std::size_t skip_limit = 200;  ///< bytes for `*`: known errors need 110, escaped ones some more
inline constexpr std::size_t sign_limit = 12;   ///< bytes for `~`, and backslashes of one escape
inline constexpr std::size_t blank_limit = 64;  ///< bytes for one space of a phrase

/// Bytes of one white space, which strings within strings write as \n or \\n; 0 for anything else.
constexpr std::size_t blank_size(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\n\r";
    if (text.empty()) return 0;
    if (blanks.find(text[0]) != blanks.npos) return 1;
    auto const letter = text.substr(0, sign_limit).find_first_not_of('\\');
    return letter != 0 && letter != text.npos && std::string_view{"nrt"}.find(text[letter]) != text.npos ? letter + 1
                                                                                                         : 0;
}

/// Consumes lower-case words if the text begins with them, in any case; a space stands for white space of any length.
constexpr bool take_words(std::string_view& text, std::string_view words) noexcept {
    auto rest = text;
    for (char const letter : words) {
        std::size_t size = 0;
        if (letter != ' ') size = !rest.empty() && lowered(rest[0]) == letter ? 1 : 0;
        else
            for (std::size_t step = 1; step != 0 && size < blank_limit; size += step)
                step = blank_size(rest.substr(size));
        if (size == 0) return false;
        rest.remove_prefix(size);
    }
    text = rest;
    return true;
}

/// Consumes 128000, 128,000 or 128_000 and adds it; a separator counts only between groups of three.
constexpr bool take_number(std::string_view& text, std::uint64_t& sum) noexcept {
    constexpr auto digits = [](std::string_view from) {
        std::size_t size = 0;
        while (size < from.size() && is_digit(from[size])) ++size;
        return size;
    };
    auto size = digits(text);
    if (size == 0) return false;
    while (size < text.size() && (text[size] == ',' || text[size] == '_') && digits(text.substr(size + 1, 4)) == 3)
        size += 4;
    std::uint64_t value = 0;
    for (char const byte : text.substr(0, size))
        if (is_digit(byte)) value = add_capped(mul_capped(value, 10), static_cast<std::uint64_t>(byte - '0'));
    sum = add_capped(sum, value);
    text.remove_prefix(size);
    return true;
}

/// Whether `text` begins with the phrase, and its numbers. In a phrase, which is in lower case, `#` and `%` are
/// numbers, `*` skips to the next place of the words that follow it, `~` skips up to 12 bytes that are neither letters
/// nor digits, and a space is any white space, because terminals and logs break lines.
constexpr std::optional<phrase_numbers> phrase_at(std::string_view text, std::string_view phrase) noexcept {
    constexpr std::string_view signs = "#%~*";
    phrase_numbers numbers;
    // Each round handles one sign and the words up to the next; the first place where these match is final.
    while (!phrase.empty()) {
        char const sign = signs.find(phrase[0]) != signs.npos ? phrase[0] : ' ';
        if (sign != ' ') phrase.remove_prefix(1);
        auto const words = phrase.substr(0, phrase.find_first_of(signs));
        phrase.remove_prefix(words.size());
        if (sign == '#' && !take_number(text, numbers.first)) return std::nullopt;
        if (sign == '%' && !take_number(text, numbers.second)) return std::nullopt;
        for (std::size_t remaining = sign == '~' ? sign_limit : 0; remaining != 0 && !text.empty(); --remaining) {
            if (is_digit(text[0]) || is_letter(text[0])) break;
            text.remove_prefix(1);
        }
        for (std::size_t remaining = sign == '*' ? skip_limit : 1; !take_words(text, words); text.remove_prefix(1))
            if (--remaining == 0 || text.empty()) return std::nullopt;
    }
    return numbers;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
