// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Headers of requests and answers.

namespace proxy {

/// Names and values, in the order in which they came.
using header_list = std::vector<std::pair<std::string, std::string>>;

constexpr bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }
constexpr bool is_letter(char byte) noexcept { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

inline bool same_name(std::string_view left, std::string_view right) noexcept {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](char one, char other) { return one == other || (is_letter(one) && (one ^ 0x20) == other); });
}

inline bool is_one_of(std::string_view name, auto const& names) noexcept {
    return std::any_of(names.begin(), names.end(), [&](auto const& each) { return same_name(name, each); });
}

/// The first of that name; empty if there is none.
inline std::string value_of(header_list const& all, std::string_view name) {
    for (auto const& [key, value] : all)
        if (same_name(key, name)) return value;
    return {};
}

/// Of all of that name, as one list.
inline std::string values_of(header_list const& all, std::string_view name) {
    std::string list;
    for (auto const& [key, value] : all)
        if (same_name(key, name)) list += value + ",";
    return list;
}

inline std::size_t count_of(header_list const& all, std::string_view name) noexcept {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](auto const& each) { return same_name(each.first, name); }));
}

}  // namespace proxy
