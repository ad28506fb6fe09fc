// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/detail/utf8.hpp>

// Small pieces of text: figures, patterns, and a buffer that never allocates.

namespace condense {
inline namespace v1 {
namespace detail {

/// Decimal digits in groups of three: 20,740.
constexpr std::string grouped(std::uint64_t value) {
    char digits[26] = {};  // twenty of them, and six commas
    std::size_t left = sizeof digits;
    do {
        if ((sizeof digits - left) % 4 == 3) digits[--left] = ',';
        digits[--left] = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return std::string(digits + left, sizeof digits - left);
}

/// `*` stands for any run of characters, `?` for one; linear in the text for each star.
constexpr bool matches_glob(std::string_view text, std::string_view pattern) noexcept {
    std::size_t at = 0;
    std::size_t in_pattern = 0;
    auto star = std::string_view::npos;
    std::size_t star_at = 0;
    while (at < text.size()) {
        if (in_pattern < pattern.size() && (pattern[in_pattern] == '?' || pattern[in_pattern] == text[at]) &&
            pattern[in_pattern] != '*') {
            ++at;
            ++in_pattern;
        } else if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
            star = in_pattern++;
            star_at = at;
        } else if (star != std::string_view::npos) {
            in_pattern = star + 1;
            at = ++star_at;
        } else return false;
    }
    while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
    return in_pattern == pattern.size();
}

/// Appends text from outside on one line, as valid UTF-8 with a space for each control character and for
/// each that breaks lines or turns the direction of writing.
constexpr void append_printable(std::string& out, std::string_view text) {
    auto const begin = out.size();
    utf8::append_scrubbed(out, text);
    auto end = begin;
    for (auto at = begin; at < out.size();) {
        auto const byte = [&](std::size_t ahead) { return static_cast<unsigned char>(out[at + ahead]); };
        auto const size = utf8::decode(out, at).size;
        bool const control = size == 1 ? byte(0) < 0x20 || byte(0) == 0x7F
                             : size == 2
                                 ? byte(0) == 0xC2 && byte(1) < 0xA0  // U+009B begins escapes too
                                 : (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) ||
                                       (byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
        if (control) out[end++] = ' ';
        else
            for (std::size_t ahead = 0; ahead < size; ++ahead) out[end++] = out[at + ahead];
        at += size;
    }
    out.resize(end);
}

/// At most so many code points of it, as append_printable has them; what is left out shows as "...".
constexpr std::string printable(std::string_view text, std::uint64_t most) {
    auto const kept = text.substr(0, utf8::prefix(text, most));
    std::string out;
    append_printable(out, kept);
    if (kept.size() != text.size()) out += "...";
    return out;
}

/// Text of at most `Size` bytes; what does not fit is left out. Control bytes become spaces, so that
/// text from outside can be printed.
template <std::size_t Size>
class small_text {
public:
    constexpr small_text() = default;
    template <std::convertible_to<std::string_view> Text>
    constexpr small_text(Text const& text) noexcept {
        *this += std::string_view{text};
    }

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

private:
    char bytes_[Size] = {};
    std::size_t size_ = 0;
};

}  // namespace detail

using detail::grouped;
using detail::printable;

}  // namespace v1
}  // namespace condense
