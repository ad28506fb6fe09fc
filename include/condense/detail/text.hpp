// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/utf8.hpp>

// Small pieces of text: numbers with separators, patterns, text made printable, and a buffer that never allocates.

namespace condense {
inline namespace v1 {
namespace detail {

/// Decimal digits in groups of three: 20,740.
constexpr std::string grouped(std::uint64_t value) {
    char digits[26] = {};  // twenty of them, and six commas
    std::size_t begin = sizeof digits;
    do {
        if ((sizeof digits - begin) % 4 == 3) digits[--begin] = ',';
        digits[--begin] = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return std::string(digits + begin, sizeof digits - begin);
}

/// True if the pattern matches all of the text: `*` stands for any run of bytes, `?` for one. Costs at most the product
/// of the sizes: after a mismatch only the latest star is tried again, one byte further on.
constexpr bool matches_glob(std::string_view text, std::string_view pattern) noexcept {
    std::size_t position = 0;
    std::size_t in_pattern = 0;
    auto star = std::string_view::npos;
    std::size_t star_position = 0;
    while (position < text.size()) {
        if (in_pattern < pattern.size() && (pattern[in_pattern] == '?' || pattern[in_pattern] == text[position]) &&
            pattern[in_pattern] != '*') {
            ++position;
            ++in_pattern;
        } else if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
            star = in_pattern++;
            star_position = position;
        } else if (star != std::string_view::npos) {
            in_pattern = star + 1;
            position = ++star_position;
        } else return false;
    }
    while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
    return in_pattern == pattern.size();
}

/// True for words of a user that are no task: a command of the program alone, such as /mode, or a greeting.
constexpr bool asks_nothing(std::string_view text) noexcept {
    constexpr std::string_view between = " \t\r\n,.!?:)-";
    while (!text.empty() && between.find(text.back()) != text.npos) text.remove_suffix(1);
    if (text.size() > 32) return false;
    if (text.starts_with('/')) {
        bool is_name = text.size() > 1;
        for (char const byte : text.substr(1))
            is_name = is_name && (is_letter(byte) || is_digit(byte) || byte == '-' || byte == '_' || byte == ':');
        return is_name;
    }
    bool greets = false;
    while (!text.empty()) {
        auto const word = text.substr(0, text.find_first_of(between));
        bool const greeting = is_one_of(word, "hi hello hey hallo hola bonjour ciao morning afternoon evening");
        if (!word.empty() && !greeting && !is_one_of(word, "there good again everyone")) return false;
        greets = greets || greeting;
        text.remove_prefix(word.size() < text.size() ? word.size() + 1 : word.size());
    }
    return greets;
}

/// Lines of text, the last one with or without a line break.
constexpr std::uint64_t count_lines(std::string_view text) noexcept {
    std::uint64_t ends = 0;
    for (auto offset = text.find('\n'); offset != std::string_view::npos; offset = text.find('\n', offset + 1)) ++ends;
    return ends + (text.empty() || text.back() == '\n' ? 0u : 1u);
}

/// The texts one behind the other: joined({"a", "b"}).
template <std::size_t Count>
std::string joined(std::string_view const (&texts)[Count]) {
    std::string out;
    for (auto const text : texts) out.append(text);
    return out;
}

/// The line at the front of a text, without its end; the text goes on behind it.
[[gnu::noinline]] inline std::string_view take_line(std::string_view& text) noexcept {
    auto const line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    return line;
}

/// Appends text from outside on one line: as valid UTF-8, with a space for each control character and for each
/// character that breaks lines or changes the direction of writing, so that it cannot imitate other output.
constexpr void append_printable(std::string& out, std::string_view text) {
    auto const begin = out.size();
    utf8::append_scrubbed(out, text);
    auto end = begin;
    for (auto position = begin; position < out.size();) {
        auto const byte = [&](std::size_t ahead) { return static_cast<unsigned char>(out[position + ahead]); };
        auto const size = utf8::decode(out, position).size;
        // C0 and C1 controls; U+2028 to U+202E and U+2066 to U+2069.
        bool const control = size == 1 ? byte(0) < 0x20 || byte(0) == 0x7F
                             : size == 2
                                 ? byte(0) == 0xC2 && byte(1) < 0xA0  // U+009B begins escapes too
                                 : (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) ||
                                       (byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
        if (control) out[end++] = ' ';
        else
            for (std::size_t ahead = 0; ahead < size; ++ahead) out[end++] = out[position + ahead];
        position += size;
    }
    out.resize(end);
}

/// The first `limit` code points of a text as append_printable writes them, then "..." if there are more.
constexpr std::string printable(std::string_view text, std::uint64_t limit) {
    auto const prefix = text.substr(0, utf8::prefix(text, limit));
    std::string out;
    append_printable(out, prefix);
    if (prefix.size() != text.size()) out += "...";
    return out;
}

/// Text of at most `Size` bytes, cut at a code point; what does not fit is left out. Control bytes become spaces, so
/// that text from outside can be printed.
template <std::size_t Size>
class small_text {
public:
    constexpr small_text() = default;
    template <std::convertible_to<std::string_view> Text>
    constexpr small_text(Text const& text) noexcept {
        *this += std::string_view{text};
    }

    /// Appends what fits.
    constexpr small_text& operator+=(std::string_view text) noexcept {
        for (char const byte : text.substr(0, utf8::floor(text, Size - size_))) {
            auto const value = static_cast<unsigned char>(byte);
            bytes_[size_++] = value < 0x20 || value == 0x7F ? ' ' : byte;
        }
        return *this;
    }
    constexpr operator std::string_view() const noexcept { return {bytes_, size_}; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    friend constexpr bool operator==(small_text const& left, small_text const& right) noexcept {
        return std::string_view{left} == std::string_view{right};
    }
    template <class Stream>
        requires requires(Stream& stream, std::string_view text) { stream << text; }
    friend Stream& operator<<(Stream& stream, small_text const& text) {
        stream << std::string_view{text};
        return stream;
    }

private:
    char bytes_[Size] = {};
    std::size_t size_ = 0;
};

}  // namespace detail

using detail::grouped;
using detail::printable;

}  // namespace v1
}  // namespace condense
