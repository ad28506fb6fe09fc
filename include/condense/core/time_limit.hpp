// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>

// A span of time, from any std::chrono duration: .within = 30s.

namespace condense {
inline namespace v1 {
namespace detail {

/// Any std::chrono duration, recognised without including <chrono>, which would cost each program compile time.
template <class Duration>
concept duration_like = requires(Duration const& span) {
    Duration::period::num;
    Duration::period::den;
    span.count();
};

/// In nanoseconds; a negative duration is none, one too long for 64 bits the longest.
template <duration_like Duration>
constexpr instant as_instant(Duration const& span) noexcept {
    auto const count = span.count() < 0 ? 0 : static_cast<std::uint64_t>(span.count());
    constexpr auto num = static_cast<std::uint64_t>(Duration::period::num);
    constexpr auto den = static_cast<std::uint64_t>(Duration::period::den);
    static_assert(den <= 1'000'000'000u,
                  "condense: `within` must be a duration of nanoseconds or longer (see time_limit)");
    return {mul_capped(mul_capped(count, num), 1'000'000'000u / den)};
}

}  // namespace detail

/// Nanoseconds, written as a duration.
struct time_limit {
    instant span = {detail::u64_limit};

    constexpr time_limit() = default;
    template <detail::duration_like Duration>
    constexpr time_limit(Duration const& duration) noexcept : span{detail::as_instant(duration)} {}
    constexpr time_limit(instant given) noexcept : span{given} {}
    friend constexpr bool operator==(time_limit, time_limit) = default;
};

}  // namespace v1
}  // namespace condense
