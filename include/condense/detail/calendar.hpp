// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

// The time of day, for what stores and journals note beside their content. No decision of a run depends on it.

namespace condense {
inline namespace v1 {
namespace detail {

/// Seconds since 1970 (UTC).
inline std::uint64_t calendar_seconds() noexcept {
    auto const now = std::time(nullptr);
    return now > 0 ? static_cast<std::uint64_t>(now) : 0;
}
/// Nanoseconds since 1970 (UTC).
inline std::uint64_t calendar_nanoseconds() noexcept {
    auto const now =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
    return now.count() > 0 ? static_cast<std::uint64_t>(now.count()) : 0;
}
/// Seconds, as a clock that tests replace.
struct calendar_clock {
    std::uint64_t operator()() const noexcept { return calendar_seconds(); }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
