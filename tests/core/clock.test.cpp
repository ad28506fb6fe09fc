// SPDX-License-Identifier: BSL-1.0
#include <condense/core/run_options.hpp>

#include <cstdint>

#include "support/catch.hpp"

TEST_CASE("clock: it never goes back, and goes on") {
    condense::steady_clock const now;
    auto const first = now();
    auto last = first;
    bool back = false;
    for (std::uint32_t call = 0; call < 1'000'000 && last == first; ++call) {
        auto const next = now();
        back = back || next < last;
        last = next;
    }
    CHECK_FALSE(back);
    CHECK(first < last);
    // Nanoseconds: not even these calls take an hour.
    CHECK((last - first).count < 3'600'000'000'000u);
}
