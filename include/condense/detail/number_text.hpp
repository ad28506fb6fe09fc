// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <condense/detail/saturate.hpp>

// Decimal numbers in small texts that the library writes and reads back.

namespace condense {
inline namespace v1 {
namespace detail {

/// Takes digits off the front of a text; false, and nothing is taken, where there are none or too many.
constexpr bool take_number(std::string_view& text, std::uint64_t& number) noexcept {
    std::uint64_t value = 0;
    std::size_t size = 0;
    for (; size < text.size() && text[size] >= '0' && text[size] <= '9'; ++size) {
        auto const digit = static_cast<std::uint64_t>(text[size] - '0');
        if (value > (u64_limit - digit) / 10) return false;
        value = value * 10 + digit;
    }
    if (size == 0) return false;
    text.remove_prefix(size);
    number = value;
    return true;
}

constexpr bool take_char(std::string_view& text, char wanted) noexcept {
    if (text.empty() || text.front() != wanted) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
