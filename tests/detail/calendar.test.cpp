// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/calendar.hpp>

#include "support/catch.hpp"

TEST_CASE("calendar_seconds: after this was written, and no count of anything smaller") {
    auto const now = condense::detail::calendar_seconds();
    CHECK(now > 1'700'000'000);
    CHECK(now < 100'000'000'000);
    CHECK(condense::detail::calendar_seconds() >= now);
}
