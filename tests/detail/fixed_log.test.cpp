// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/fixed_log.hpp>

#include <cmath>
#include <cstdint>

#include "support/catch.hpp"

namespace {

using condense::detail::fixed_one;
using condense::detail::log2_of_ratio;
using condense::detail::ratio_of;
using condense::detail::ratio_of_log2;
using condense::detail::square_root;

constexpr std::uint64_t limit = ~std::uint64_t{0};

constexpr bool whole_powers_are_exact() {
    for (int power = -16; power <= 16; ++power) {
        auto const ratio = std::uint64_t{1} << (16 + power);
        if (log2_of_ratio(ratio) != power * fixed_one || ratio_of_log2(power * fixed_one) != ratio) return false;
    }
    return log2_of_ratio(0) == -16 * fixed_one && ratio_of_log2(limit >> 1) == std::uint64_t{1} << 32 &&
           ratio_of_log2(-(std::int64_t{1} << 62)) == 1;
}
static_assert(whole_powers_are_exact());

constexpr bool roots_are_rounded_down() {
    return square_root(0) == 0 && square_root(1) == 1 && square_root(3) == 1 && square_root(4) == 2 &&
           square_root(limit) == 0xFFFF'FFFF && square_root(std::uint64_t{1} << 62) == std::uint64_t{1} << 31;
}
static_assert(roots_are_rounded_down());

constexpr bool ratios_of_any_figures_are_harmless() {
    return ratio_of(3, 2) == 98'304 && ratio_of(limit, limit) == 65'536 && ratio_of(1, limit) == 0 &&
           ratio_of(limit, 1) == std::uint64_t{1} << 32 && ratio_of(5, 0) == 0 && ratio_of(0, 5) == 0 &&
           ratio_of(limit, 0) == 0;
}
static_assert(ratios_of_any_figures_are_harmless());

}  // namespace

TEST_CASE("fixed_log: exact where that is possible") {
    CHECK(whole_powers_are_exact());
    CHECK(roots_are_rounded_down());
    CHECK(ratios_of_any_figures_are_harmless());
}

TEST_CASE("fixed_log: close to the true value elsewhere, and monotone") {
    std::int64_t before = -17 * fixed_one;
    std::uint64_t last = 0;
    for (std::uint64_t ratio = 1'000; ratio < 1'000'000; ratio += 137) {
        auto const log = log2_of_ratio(ratio);
        CHECK(std::abs(static_cast<double>(log) / 65'536 - std::log2(static_cast<double>(ratio) / 65'536)) <
              2.0 / 65'536);
        CHECK(log >= before);
        auto const back = ratio_of_log2(log);
        CHECK(std::abs(static_cast<double>(back) / static_cast<double>(ratio) - 1) < 6e-4);
        CHECK(back >= last);
        before = log;
        last = back;
    }
    for (std::uint64_t const ratio : {limit, limit / 3, std::uint64_t{1} << 63})
        CHECK(log2_of_ratio(ratio) >= 46 * fixed_one);
}
