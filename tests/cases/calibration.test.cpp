// SPDX-License-Identifier: BSL-1.0
#include <cstdint>
#include <initializer_list>

#include <condense/condense.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/estimate/recency_weighted.hpp>

#include "support/catch.hpp"

using namespace condense::literals;

namespace {

condense::recency_weighted after(std::initializer_list<std::uint64_t> chars_per_token) {
    condense::recency_weighted rule;
    for (auto const each : chars_per_token) rule.add(each * 1'000'000);
    return rule;
}

}  // namespace

TEST_CASE("calibration by the newest observations", "[case-158]") {
    auto const rising = after({4, 4, 4, 4, 4, 5, 5, 5, 6, 6}).ratio();
    CHECK(rising >= 5'423'500);
    CHECK(rising < 5'424'500);
    condense::recency_weighted steady;
    for (int report = 0; report < 20; ++report) steady.add(5'000'000);
    CHECK(steady.ratio() == 4'981'818);
    CHECK(after({5, 5}).ratio() == 4'000'000);
    condense::recency_weighted odd;
    odd.add(500'000);
    odd.add(30'000'000);
    CHECK(odd.reports[0] == 2'000'000);
    CHECK(odd.reports[1] == 8'000'000);
    for (int report = 2; report < 201; ++report) odd.add(4'000'000);
    CHECK(odd.size() == 200);
}

TEST_CASE("cumulative usage tells what each report adds", "[case-159]") {
    condense::cumulative_usage totals;
    CHECK(totals.next(100_tokens) == 100_tokens);
    CHECK(totals.next(100_tokens) == 100_tokens);
    CHECK(totals.next(250_tokens) == 150_tokens);
    CHECK_FALSE(totals.next(40_tokens));
}
