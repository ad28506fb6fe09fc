// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/rarity.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using namespace condense::detail;

constexpr bool logarithms_are_in_eighths() {
    if (log2_eighths(0) != 0 || log2_eighths(~std::uint64_t{0}) != 64 * 8 - 1) return false;
    for (unsigned bits = 0; bits < 64; ++bits)
        if (log2_eighths(std::uint64_t{1} << bits) != bits * 8) return false;
    for (std::uint64_t value = 1; value < 3'000; ++value) {
        if (log2_eighths(value) > log2_eighths(value + 1)) return false;
        if (log2_eighths(value * 2) != log2_eighths(value) + 8) return false;
    }
    return log2_eighths(12) == 28 && log2_eighths(15) == 31;
}
static_assert(logarithms_are_in_eighths());

constexpr bool few_of_many_surprise() {
    return surprise(1, 16) == 32 && surprise(2, 16) == 24 && surprise(1, 1'024) == 80 && surprise(0, 16) == 0 &&
           surprise(16, 16) == 0 && surprise(17, 16) == 0 && surprise(1, 1) == 0;
}
static_assert(few_of_many_surprise());

/// Two of 64 things differ from the rest: `odd` is one of them, and one that was never seen is no surprise.
constexpr bool a_rare_thing_surprises_a_tally() {
    tally<16> counted;
    for (int round = 0; round < 62; ++round)
        if (counted.add(5) != (round == 0)) return false;
    if (!counted.add(5 + 16) || counted.add(5 + 16)) return false;  // in the same place of the table
    counted.settle(counted.total());
    return counted.total() == 64 && counted.surprise(5) == 0 && counted.surprise(21) == 5 * 8 &&
           counted.most() == 5 * 8 && counted.surprise(37) == 0 && !counted.given_up();
}
static_assert(a_rare_thing_surprises_a_tally());

/// Of 64 things that are all different, or of one thing only, none is rare.
constexpr bool nothing_surprises_among_equals() {
    tally<128> different;
    tally<128> same;
    for (std::uint64_t what = 0; what < 64; ++what) {
        different.add(what);
        same.add(1);
    }
    different.settle(64);
    same.settle(64);
    return different.most() == 0 && different.surprise(9) == 0 && same.most() == 0;
}
static_assert(nothing_surprises_among_equals());

/// A table takes no more than three quarters of its places; what is new after that is only counted.
constexpr bool a_full_tally_knows_that_it_is() {
    tally<16> counted;
    for (std::uint64_t what = 0; what < 27; ++what) counted.add(what);
    if (counted.given_up()) return false;
    counted.add(27);
    if (!counted.given_up()) return false;
    counted.settle(counted.total());
    if (counted.most() != 0) return false;
    for (int round = 0; round < 200; ++round) counted.add(3);
    return counted.total() == 228 && !counted.given_up();
}
static_assert(a_full_tally_knows_that_it_is());

/// Rare things that come together are one event.
constexpr bool what_comes_along_is_no_further_event() {
    tally<16> apart;
    tally<16> together;
    for (int round = 0; round < 60; ++round) {
        apart.add(1);
        together.add(1);
    }
    for (std::uint64_t what = 2; what < 6; ++what) {
        apart.add(what);
        together.add(what, what != 2);
    }
    apart.settle(64);
    together.settle(64);
    return apart.surprise(2) == 4 * 8 && together.surprise(2) == 6 * 8 && together.surprise(5) == 6 * 8;
}
static_assert(what_comes_along_is_no_further_event());

constexpr bool near(std::size_t left, std::size_t right) { return left <= right + 1 && right <= left + 1; }

/// However it is spelt.
constexpr bool a_number_has_one_magnitude() {
    for (std::string_view const spelt :
         {"1e3", "1E+3", "1000.0", "-1000", "0.001e6", "10000000e-4", "1000.00000000000000000000000000000"})
        if (!near(magnitude_of("1000"), magnitude_of(spelt))) return false;
    return magnitude_of("0") == 0 && magnitude_of("-0.00e9") == 0 && magnitude_of("2000") == magnitude_of("1000") + 4 &&
           magnitude_of("0.5") < magnitude_of("1") &&
           magnitude_of("123456789012345678901234567890") < magnitude_count &&
           near(magnitude_of("1000000000000000000000000e-15"), magnitude_of("1e9"));
}
static_assert(a_number_has_one_magnitude());

constexpr bool magnitudes_have_two_ends() {
    constexpr auto most = static_cast<std::int64_t>(~std::uint64_t{0} >> 1);
    return magnitude_of("1e999999999999999999999999") == 255 && magnitude_of("1e-999999999999999999999999") == 0 &&
           quarter_octaves(~std::uint64_t{0}, most) == 255 && quarter_octaves(1, -most) == 0 &&
           quarter_octaves(1, 0) == 64;
}
static_assert(magnitudes_have_two_ends());

/// 31 sizes around 100 and one that is `size`.
constexpr std::uint32_t surprise_of(std::string_view size) {
    magnitudes counted;
    for (int round = 0; round < 31; ++round) counted.add(magnitude_of(round % 2 == 0 ? "100" : "110"));
    counted.add(magnitude_of(size));
    if (counted.most() != 0 || counted.surprise(magnitude_of(size)) != 0) return 999;  // nothing is known before
    counted.settle();
    if (counted.surprise(magnitude_of("100")) != 0) return 999;
    return counted.surprise(magnitude_of(size));
}
constexpr bool a_size_apart_surprises() {
    return surprise_of("1000000") == 5 * 8 * 7 / 8 && surprise_of("0") == 5 * 8 * 7 / 8 && surprise_of("105") == 0 &&
           surprise_of("120") < 24 && surprise_of("-1e30") == 5 * 8 * 7 / 8;
}
static_assert(a_size_apart_surprises());

}  // namespace

TEST_CASE("rarity: few of many surprise") {
    CHECK(logarithms_are_in_eighths());
    CHECK(few_of_many_surprise());
    CHECK(a_rare_thing_surprises_a_tally());
    CHECK(nothing_surprises_among_equals());
    CHECK(a_full_tally_knows_that_it_is());
    CHECK(what_comes_along_is_no_further_event());
}

TEST_CASE("rarity: sizes and orders of numbers") {
    CHECK(a_number_has_one_magnitude());
    CHECK(magnitudes_have_two_ends());
    CHECK(a_size_apart_surprises());
    CHECK(magnitude_of(std::string(1'000'000, '9')) == 255);
    CHECK(magnitude_of("0." + std::string(1'000'000, '0') + "1") == 0);
    CHECK(magnitude_of("1e" + std::string(1'000'000, '9')) == 255);
}
