// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/saturate.hpp>

#include <cstdint>
#include <initializer_list>

#include "support/catch.hpp"

namespace {

using namespace condense::detail;
__extension__ using wide = unsigned __int128;

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

constexpr std::uint64_t capped(wide value) { return value > u64_limit ? u64_limit : static_cast<std::uint64_t>(value); }

constexpr bool sums_and_products_stop_at_their_limits() {
    for (auto const left : figures)
        for (auto const right : figures) {
            if (add_capped(left, right) != capped(static_cast<wide>(left) + right)) return false;
            if (mul_capped(left, right) != capped(static_cast<wide>(left) * right)) return false;
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
                auto const exact = static_cast<wide>(value) * share;
                if (scale_down(value, share, whole) != capped(exact / whole)) return false;
                if (scale_up(value, share, whole) != capped((exact + whole - 1) / whole)) return false;
            }
    return true;
}
static_assert(shares_are_exact());

}  // namespace

TEST_CASE("saturate: sums, products and shares") {
    CHECK(sums_and_products_stop_at_their_limits());
    CHECK(shares_are_exact());
}
