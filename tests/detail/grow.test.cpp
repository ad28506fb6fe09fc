// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/grow.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("grow: makes the room that was asked for") {
    std::vector<int> part_id;
    condense::detail::grow(part_id, 3);
    REQUIRE(part_id.capacity() >= 3);
    auto const* const at = part_id.data();
    for (int each = 0; each < 3; ++each) part_id.push_back(each);
    CHECK(part_id.data() == at);
    std::string text(100, 'x');
    condense::detail::grow(text, 1'000);
    CHECK(text.capacity() >= 1'100);
    CHECK(text.size() == 100);
}

TEST_CASE("grow: many small steps move little") {
    std::vector<int> part_id;
    std::size_t moves = 0;
    for (int each = 0; each < 10'000; ++each) {
        auto const before = part_id.capacity();
        condense::detail::grow(part_id, 1);
        moves += part_id.capacity() != before ? 1u : 0u;
        part_id.push_back(each);
    }
    CHECK(moves < 20);
}
