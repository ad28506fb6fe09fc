// SPDX-License-Identifier: BSL-1.0
#include <condense/core/quantity.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;

constexpr bool prices_are_whole_numbers() {
    return (3.0_per_million).millionths == 3'000'000 && 3_per_million == 3.0_per_million &&
           (0.0028_per_million).millionths == 2'800 && 0.075_per_million < 0.3_per_million &&
           condense::price{} < 0.000001_per_million;
}
static_assert(prices_are_whole_numbers());

constexpr bool a_cached_token_is_never_dearer_by_default() {
    condense::prices const each;
    return each.cached < each.input && each.input < each.written && each.written < each.output;
}
static_assert(a_cached_token_is_never_dearer_by_default());

}  // namespace

TEST_CASE("price: fixed point") {
    CHECK(prices_are_whole_numbers());
    CHECK(a_cached_token_is_never_dearer_by_default());
}
