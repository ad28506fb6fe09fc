// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/piece_cache.hpp>

#include <cstdint>
#include <string>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

using namespace condense::detail::bpe;

TEST_CASE("piece_cache: what is found is what was put, for more pieces than there are places") {
    auto const count_of = [](std::string const& piece) { return static_cast<std::uint32_t>(1 + text_hash(piece) % piece.size()); };
    short_cache shorts;
    middle_cache middles;
    toy_bpe::numbers any{4};
    std::size_t found = 0;
    for (int round = 0; round < 300'000; ++round) {
        auto const number = std::to_string(any.below(200'000));
        auto const piece = (std::string(1 + any.below(8), '\0') + number);
        auto const key = key_of(piece);
        auto const known = shorts.find(key, key.hash());
        if (known != 0) {
            ++found;
            REQUIRE(known == count_of(piece));
        } else shorts.put(key, key.hash(), count_of(piece));
        auto const longer = std::string(16 + any.below(8), 'x') + number;
        REQUIRE(middles(longer, [&] { return count_of(longer); }) == count_of(longer));
    }
    CHECK(found > 1'000);
}

TEST_CASE("piece_cache: the size is of the key") {
    short_cache cache;
    auto const one = key_of("a");
    cache.put(one, 0, 1);
    CHECK(cache.find(one, 0) == 1);
    CHECK(cache.find(key_of(std::string_view{"a\0", 2}), 0) == 0);
    CHECK(cache.find(key_of(""), 0) == 0);
}
