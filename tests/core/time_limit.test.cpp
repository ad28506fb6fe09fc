// SPDX-License-Identifier: BSL-1.0
#include <condense/core/time_limit.hpp>

#include <chrono>

#include "support/catch.hpp"

using namespace std::chrono_literals;
using condense::time_limit;

TEST_CASE("time_limit: is any duration, in nanoseconds") {
    static_assert(time_limit{30s}.span == condense::instant{30'000'000'000});
    static_assert(time_limit{1500ms}.span == condense::instant{1'500'000'000});
    static_assert(time_limit{condense::instant{7}} == time_limit{7ns});
    constexpr time_limit none{};
    CHECK(none.span.count == ~std::uint64_t{0});
    time_limit const from_duration = -1s;
    CHECK(from_duration.span.count == 0);
}
