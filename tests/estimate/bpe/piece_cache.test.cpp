// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/piece_cache.hpp>

#include <cstdint>
#include <string>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

using namespace condense::detail::bpe;

namespace {

/// The count of a piece, which is put if it is not found.
template <class Count>
std::uint32_t count_in(middle_cache& cache, std::string const& piece, Count count) {
    auto const hash = text_hash(piece);
    if (auto const known = cache.find(piece, hash); known != 0) return known;
    auto const counted = count();
    cache.insert(piece, hash, counted);
    return counted;
}

}  // namespace

TEST_CASE("piece_cache: what is found is what was put, for more pieces than there are places") {
    auto const count_of = [](std::string const& piece) {
        return static_cast<std::uint32_t>(1 + text_hash(piece) % piece.size());
    };
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
        } else shorts.insert(key, key.hash(), count_of(piece));
        auto const longer = std::string(16 + any.below(8), 'x') + number;
        REQUIRE(count_in(middles, longer, [&] { return count_of(longer); }) == count_of(longer));
    }
    CHECK(found > 1'000);
}

TEST_CASE("piece_cache: two pieces of one place stay; of three, not all drive each other out") {
    short_cache cache;
    auto const a = key_of("a"), b = key_of("b"), c = key_of("c");
    int puts = 0;
    auto const want = [&](piece_key const& key) {
        if (cache.find(key, 0) != 0) return;
        cache.insert(key, 0, 1);
        ++puts;
    };
    for (auto const& each : {a, b, a, b}) want(each);
    CHECK(puts == 2);
    for (auto const& each : {c, a, b, c, a, b}) want(each);
    CHECK(puts == 2 + 4);
}

TEST_CASE("piece_cache: a growing table keeps what it holds") {
    short_cache shorts;
    middle_cache middles;
    auto const piece = [](std::size_t number) { return "piece " + std::to_string(number); };
    auto const longer = [&](std::size_t number) { return std::string(48, '-') + piece(number); };
    std::uint32_t lost = 0, longer_lost = 0;
    auto const count_of = [](std::size_t number) { return static_cast<std::uint32_t>(1 + number % 7); };
    for (std::size_t each = 0; each < 30'000; ++each) {
        auto const key = key_of(piece(each));
        shorts.insert(key, key.hash(), count_of(each));
        count_in(middles, longer(each), [&] { return count_of(each); });
    }
    for (std::size_t each = 0; each < 30'000; ++each) {
        auto const key = key_of(piece(each));
        auto const known = shorts.find(key, key.hash());
        lost += known == 0;
        REQUIRE((known == 0 || known == count_of(each)));
        REQUIRE(count_in(middles, longer(each), [&] { return ++longer_lost, count_of(each); }) == count_of(each));
    }
    CHECK(lost < 1'500);
    CHECK(longer_lost < 7'500);
}

TEST_CASE("piece_cache: the size is of the key") {
    short_cache cache;
    auto const one = key_of("a");
    cache.insert(one, 0, 1);
    CHECK(cache.find(one, 0) == 1);
    CHECK(cache.find(key_of(std::string_view{"a\0", 2}), 0) == 0);
    CHECK(cache.find(key_of(""), 0) == 0);
}
