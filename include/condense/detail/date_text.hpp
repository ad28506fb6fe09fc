// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

// A time of day as people write it: "2026-03-09 14:05" (UTC).

namespace condense {
inline namespace v1 {
namespace detail {

/// Appends seconds since 1970 as date, hour and minute; nothing after the year 9999 is told apart.
inline void append_date(std::string& out, std::uint64_t seconds) {
    constexpr std::uint64_t day = 86'400, last_day = 2'932'896;
    auto const days = (std::min)(seconds / day, last_day);
    std::chrono::year_month_day const date{
        std::chrono::sys_days{std::chrono::days{static_cast<std::chrono::days::rep>(days)}}};
    auto const put = [&](unsigned value, std::size_t width) {
        auto const digits = std::to_string(value);
        out.append(width - (std::min)(width, digits.size()), '0').append(digits);
    };
    put(static_cast<unsigned>(static_cast<int>(date.year())), 4);
    out += '-';
    put(static_cast<unsigned>(date.month()), 2);
    out += '-';
    put(static_cast<unsigned>(date.day()), 2);
    out += ' ';
    put(static_cast<unsigned>(seconds % day / 3'600), 2);
    out += ':';
    put(static_cast<unsigned>(seconds % 3'600 / 60), 2);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
