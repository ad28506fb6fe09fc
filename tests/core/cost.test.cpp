// SPDX-License-Identifier: BSL-1.0
#include <condense/core/quantity.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::tokens;

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

constexpr bool tokens_round_upward() {
    return cost{}.tokens() == tokens{0} && cost{1}.tokens() == tokens{1} && cost{256}.tokens() == tokens{1} &&
           cost{257}.tokens() == tokens{2} && cost::of({1'000}).tokens() == tokens{1'000};
}
static_assert(tokens_round_upward());

/// case-156: rounding once, on the sum.
constexpr bool sums_are_exact_until_they_are_rounded() {
    cost sum;
    for (int third = 0; third < 3; ++third) sum += cost{86};
    return sum.tokens() == tokens{2} && cost{86}.tokens() == tokens{1};
}
static_assert(sums_are_exact_until_they_are_rounded());

constexpr bool figures_of_any_size_saturate() {
    for (auto const figure : {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 55})
        if (cost::of({figure}).tokens() != tokens{figure}) return false;
    for (auto const figure : {std::uint64_t{1} << 56, std::uint64_t{1} << 63, most})
        if (cost::of({figure}).steps != most) return false;
    return cost{most} + cost{1} == cost{most} && cost{1} - cost{2} == cost{} &&
           cost{most}.tokens() == tokens{most / 256 + 1};
}
static_assert(figures_of_any_size_saturate());

constexpr bool costs_add_up_in_place() {
    cost sum{10};
    sum += cost{5};
    sum -= cost{3};
    return sum == cost{12} && (sum -= cost{13}) == cost{};
}
static_assert(costs_add_up_in_place());

}  // namespace

TEST_CASE("cost: rounds once, upward, and saturates") {
    CHECK(tokens_round_upward());
    CHECK(sums_are_exact_until_they_are_rounded());
    CHECK(figures_of_any_size_saturate());
    CHECK(costs_add_up_in_place());
}
