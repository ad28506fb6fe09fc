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
    std::string out;
    do {
        if (out.size() % 4 == 3) out.push_back(',');
        out.push_back(static_cast<char>('0' + value % 10));
        value /= 10;
    } while (value != 0);
    return {out.rbegin(), out.rend()};
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
}  // namespace v1
}  // namespace condense
