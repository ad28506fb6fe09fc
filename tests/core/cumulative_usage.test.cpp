// SPDX-License-Identifier: BSL-1.0
#include <condense/core/provider_usage.hpp>

#include <cstdint>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::cumulative_usage;

constexpr bool each_report_adds_what_it_is_more() {
    cumulative_usage totals;
    return totals.next(100_tokens) == 100_tokens && totals.next(100_tokens) == 100_tokens &&
           totals.next(250_tokens) == 150_tokens && totals.next(250_tokens) == 150_tokens;
}
static_assert(each_report_adds_what_it_is_more());

constexpr bool a_smaller_total_begins_anew() {
    cumulative_usage totals;
    if (totals.next(0_tokens)) return false;  // nothing was reported
    static_cast<void>(totals.next(250_tokens));
    return !totals.next(40_tokens) && !totals.next(40_tokens) && totals.next(45_tokens) == 5_tokens &&
           totals.next({~std::uint64_t{0}}) == condense::tokens{~std::uint64_t{0} - 45};
}
static_assert(a_smaller_total_begins_anew());

}  // namespace

TEST_CASE("cumulative_usage: what each report adds") {
    CHECK(each_report_adds_what_it_is_more());
    CHECK(a_smaller_total_begins_anew());
}
