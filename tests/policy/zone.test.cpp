// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/zone.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

using condense::detail::pressure_level;
using condense::detail::zone;

TEST_CASE("zone: places before the head and from the tail on, joined where either holds them") {
    zone const ends = zone{.head = 2}.joined({.tail = 8});
    CHECK(ends.holds(1));
    CHECK_FALSE(ends.holds(2));
    CHECK_FALSE(ends.holds(7));
    CHECK(ends.holds(8));
    CHECK_FALSE(zone{}.holds(0));
}

TEST_CASE("zone: pressure halves, the newest one stays up to the top") {
    CHECK(pressure_level{}.eased(10) == 10);
    CHECK(pressure_level{.pressure = 2}.eased(10) == 2);
    CHECK(pressure_level{.pressure = 99}.eased(10) == 0);
    CHECK(pressure_level{.pressure = 99}.eased_to_one(10) == 1);
    CHECK(pressure_level{.pressure = 1}.eased_to_one(0) == 0);
    CHECK(pressure_level{.pressure = 1, .top = true}.eased_to_one(10) == 0);
}

TEST_CASE("zone: the last messages, and those that a cost holds") {
    toy::desk<> on{toy::user("u"), toy::assistant("abc"), toy::user("vv"), toy::assistant("d")};
    auto const draft = on.draft();
    CHECK(condense::detail::last_messages(draft, 2) == 5);
    CHECK(condense::detail::newest_within(draft, condense::cost::of({3})) == 5);
    CHECK(condense::detail::newest_within(draft, condense::cost::of({2})) == 7);
    CHECK(condense::detail::after_first(draft, 1) == 2);
}
