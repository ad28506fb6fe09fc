// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/date_text.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include "support/catch.hpp"

namespace {

std::string date_of(std::uint64_t seconds) {
    std::string text;
    condense::detail::append_date(text, seconds);
    return text;
}

}  // namespace

TEST_CASE("append_date: year, month, day, hour and minute, as date -u prints them") {
    CHECK(date_of(0) == "1970-01-01 00:00");
    CHECK(date_of(951'782'399) == "2000-02-28 23:59");
    CHECK(date_of(951'782'400) == "2000-02-29 00:00");
    CHECK(date_of(1'709'251'199) == "2024-02-29 23:59");
    CHECK(date_of(1'790'000'000) == "2026-09-21 14:13");
    CHECK(date_of(std::numeric_limits<std::uint64_t>::max()).starts_with("9999-12-31 "));
}
