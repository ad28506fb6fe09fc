// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/edit_distance.hpp>

#include "support/catch.hpp"

TEST_CASE("edit_distance: insertions, removals and exchanges of one character") {
    using condense::detail::edit_distance;
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("abc", "abc") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("treshold", "threshold") == 1);
    CHECK(edit_distance("threshold", "treshold") == 1);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("ab", "ba") == 2);
}
