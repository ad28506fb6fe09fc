// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/placeholder.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include "support/catch.hpp"

using condense::recovery;
using condense::detail::excerpt;
using condense::detail::omission;

TEST_CASE("placeholder: says how much is missing and how to have it back") {
    recovery const stored{{{0xAB, 0xCD}}};
    CHECK(omission(44, 300, "lines", {}) == "[... 44 of 300 lines omitted; run the tool again to see them ...]");
    CHECK(omission(1'000'000, 2'000'000, "characters", stored) ==
          "[... 1,000,000 of 2,000,000 characters omitted; the whole is stored as abcd00000000000000000000 ...]");
    CHECK(stored);
    CHECK_FALSE(recovery{});
}

TEST_CASE("placeholder: is never longer than its limit") {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    // Two line breaks may stand around it.
    CHECK(omission(most, most, "characters", {}).size() + 2 <= condense::detail::omission_limit);
    CHECK(omission(most, most, "characters", {{{255}}}).size() + 2 <= condense::detail::omission_limit);
}

TEST_CASE("placeholder: an excerpt of less than a terabyte has a marker within its limit") {
    constexpr std::uint64_t most = 999'999'999'999;
    CHECK(excerpt(3, 5, "items") == "[... 3 of 5 items omitted ...]");
    CHECK(excerpt(3, 5, "items", 2'740, {}) == "[... 3 of 5 items omitted from 2,740 bytes; run the tool again to see them ...]");
    CHECK(excerpt(0, 5, "keys", 2'740, {}) == "[... values shortened, 5 keys from 2,740 bytes; run the tool again to see them ...]");
    CHECK(excerpt(most / 2, most / 2, "items", most, {{{255}}}).size() <= condense::detail::excerpt_limit);
    CHECK(excerpt(0, most / 2, "items", most, {{{255}}}).size() <= condense::detail::excerpt_limit);
    CHECK(excerpt(most, most, "characters").size() <= condense::detail::excerpt_limit);
}
