// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/saturate.hpp>

#include <cstdint>
#include <initializer_list>

#include "support/catch.hpp"
#include "support/wide.hpp"

namespace {

using namespace condense::detail;

constexpr auto figures = {std::uint64_t{0},
                          std::uint64_t{1},
                          std::uint64_t{2},
                          std::uint64_t{9'999},
                          std::uint64_t{10'000},
                          std::uint64_t{1} << 31,
                          (std::uint64_t{1} << 32) - 1,
                          std::uint64_t{1} << 32,
                          std::uint64_t{1} << 63,
                          u64_limit - 1,
                          u64_limit};

constexpr bool sums_and_products_stop_at_their_limits() {
    for (auto const left : figures)
        for (auto const right : figures) {
            if (add_capped(left, right) != (wide{left} + right).capped()) return false;
            if (mul_capped(left, right) != wide::product(left, right).capped()) return false;
            if (sub_capped(left, right) != (left < right ? 0 : left - right)) return false;
        }
    return true;
}
static_assert(sums_and_products_stop_at_their_limits());

constexpr bool shares_are_exact() {
    for (auto const value : figures)
        for (auto const share : figures)
            for (auto const whole : figures) {
                if (share >> 32 != 0 || whole >> 32 != 0 || whole == 0) continue;
                auto const exact = wide::product(value, share);
                auto const divisor = static_cast<std::uint32_t>(whole);
                if (scale_down(value, share, whole) != (exact / divisor).capped()) return false;
                if (scale_up(value, share, whole) != ((exact + (whole - 1)) / divisor).capped()) return false;
            }
    return true;
}
static_assert(shares_are_exact());

}  // namespace

TEST_CASE("saturate: sums, products and shares") {
    CHECK(sums_and_products_stop_at_their_limits());
    CHECK(shares_are_exact());
}
