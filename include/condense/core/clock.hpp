// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <ctime>

#include <condense/core/quantity.hpp>

// The machine's clock, without the weight of <chrono>.

namespace condense {
inline namespace v1 {

/// Nanoseconds of the monotonic clock, or of the calendar clock where there is no other.
struct steady_clock {
    instant operator()() const noexcept {
        std::timespec now{};
#if defined(CLOCK_MONOTONIC)
        ::clock_gettime(CLOCK_MONOTONIC, &now);
#else
        static_cast<void>(std::timespec_get(&now, TIME_UTC));
#endif
        return {static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec)};
    }
};

}  // namespace v1
}  // namespace condense
