// SPDX-License-Identifier: BSL-1.0
#include <condense/store/content_hash.hpp>

#include <set>

#include "support/catch.hpp"

TEST_CASE("names depend on content, key and attempt, and on nothing else") {
    condense::content_hash const plain{};
    condense::content_hash const keyed{42};
    CHECK(plain("a", 0) == plain("a", 0));
    CHECK(plain("a", 0) != plain("b", 0));
    CHECK(plain("a", 0) != plain("a", 1));
    CHECK(plain("a", 0) != keyed("a", 0));
    CHECK(static_cast<bool>(plain("", 0)));
}

TEST_CASE("a name is 24 hexadecimal digits and spells all of its bits") {
    std::set<std::string> seen;
    for (int entry = 0; entry < 2'000; ++entry) {
        auto const name = condense::content_hash{}(std::to_string(entry), 0).text();
        CHECK(name.size() == 24);
        CHECK(name.find_first_not_of("0123456789abcdef") == std::string::npos);
        CHECK(seen.insert(name).second);
    }
    // The published test vector of XXH3-128 for empty input and seed 0: 99aa06d3014798d86001c324468d497f.
    CHECK(condense::content_hash{}("", 0).text() == "99aa06d3014798d86001c324");
}
