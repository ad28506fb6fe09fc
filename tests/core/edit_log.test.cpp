// SPDX-License-Identifier: BSL-1.0
#include <condense/core/edit_log.hpp>

#include <cstdint>

#include <condense/core/edit_log.hpp>

#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::tokens;
using condense::view;
using condense::detail::calibration_scope;

constexpr tokens measured(std::uint64_t counted, std::uint64_t real, std::uint64_t sum) {
    view edits;
    auto const during = calibration_scope(edits, {counted}, {real});
    return edits.measured(cost::of({sum}));
}

constexpr bool sums_are_scaled_while_it_lasts() {
    view edits;
    {
        auto const during = calibration_scope(edits, {1'000}, {1'500});
        if (edits.measured(cost::of({500})) != tokens{750}) return false;
    }
    return edits.measured(cost::of({500})) == tokens{500} && measured(1'000, 600, 500) == tokens{300} &&
           measured(1'000, 1'000, 500) == tokens{500};
}
static_assert(sums_are_scaled_while_it_lasts());

constexpr bool an_inner_scale_gives_way_to_the_outer_one() {
    view edits;
    auto const outer = calibration_scope(edits, {1'000}, {1'500});
    {
        auto const inner = calibration_scope(edits, {1'000}, {2'000}, {500});
        if (edits.measured(cost::of({750})) != tokens{1'250}) return false;
    }
    return edits.measured(cost::of({500})) == tokens{750};
}
static_assert(an_inner_scale_gives_way_to_the_outer_one());

}  // namespace

TEST_CASE("calibration_scope: parts by the measure of the whole") {
    CHECK(sums_are_scaled_while_it_lasts());
    CHECK(an_inner_scale_gives_way_to_the_outer_one());
}
