// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/xxhash.hpp>

#include <string>

#include "support/catch.hpp"

// Figures of the program xxhsum (-H3, -H128) for an empty file and for one of 300 bytes, which are hashed in stripes.
TEST_CASE("xxhash: its hashes are XXH3's, whatever is inlined") {
    CHECK(XXH3_64bits("", 0) == 0x2D06800538D394C2u);
    auto const empty = XXH3_128bits("", 0);
    CHECK(empty.high64 == 0x99AA06D3014798D8u);
    CHECK(empty.low64 == 0x6001C324468D497Fu);
    std::string const text(300, 'x');
    auto const striped = XXH3_128bits(text.data(), text.size());
    CHECK(striped.high64 == 0x125237EA2AD7BC7Au);
    CHECK(striped.low64 == 0xA5D1B4607DC83554u);
}
