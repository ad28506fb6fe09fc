// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/grow.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("grow: makes the room that was asked for") {
    std::vector<int> values;
    condense::detail::grow(values, 3);
    REQUIRE(values.capacity() >= 3);
    auto const* const at = values.data();
    for (int each = 0; each < 3; ++each) values.push_back(each);
    CHECK(values.data() == at);
    std::string text(100, 'x');
    condense::detail::grow(text, 1'000);
    CHECK(text.capacity() >= 1'100);
    CHECK(text.size() == 100);
}

TEST_CASE("grow: many small steps move little") {
    std::vector<int> values;
    std::size_t moves = 0;
    for (int each = 0; each < 10'000; ++each) {
        auto const before = values.capacity();
        condense::detail::grow(values, 1);
        moves += values.capacity() != before ? 1u : 0u;
        values.push_back(each);
    }
    CHECK(moves < 20);
}
