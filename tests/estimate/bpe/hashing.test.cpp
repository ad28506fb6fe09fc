// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/hashing.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "support/catch.hpp"

using namespace condense::detail::bpe;

TEST_CASE("hashing: keys are equal where texts are, whatever follows them") {
    std::string const text = std::string{"\0abcdefghijklmnopqrstuvwxyz", 20} + std::string(16, '\xFF');
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    for (std::size_t size = 0; size <= piece_key::longest; ++size) {
        auto const key = key_of({text.data(), size});
        CHECK(key == key_within(text.data(), size));
        CHECK(seen.insert({key.low, key.high}).second);
        std::string const padded(size, '\0');
        if (size > 1) CHECK_FALSE(key == key_of(padded));
        CHECK(seen.insert({key_of(padded + (size < 15 ? std::string(1, '\1') : "")).low, ~key.high}).second);
    }
}

TEST_CASE("hashing: no byte of a key is lost to its size") {
    for (std::size_t size = 1; size <= 15; ++size)
        for (std::size_t at = 0; at < size; ++at) {
            std::string one(size, '\0');
            auto other = one;
            other[at] = static_cast<char>(size);
            CHECK_FALSE(key_of(one) == key_of(other));
        }
}

TEST_CASE("hashing: texts of any size hash within their bytes, and all bytes count") {
    std::set<std::uint64_t> seen;
    for (std::size_t size = 1; size < 100; ++size) {
        std::string text(size, 'a');
        text.shrink_to_fit();
        CHECK(seen.insert(text_hash(text)).second);
        CHECK(text_hash(text) == text_hash(std::string_view{text + "b"}.substr(0, size)));
        for (std::size_t at = 0; at < size; ++at) {
            auto other = text;
            other[at] = 'b';
            CHECK(seen.insert(text_hash(other)).second);
        }
    }
}

TEST_CASE("hashing: places are within the table") {
    for (unsigned bits = 1; bits < 20; ++bits)
        for (auto const hash : {std::uint64_t{0}, ~std::uint64_t{0}, odd_a, odd_b})
            CHECK(place_of(hash, bits) < std::size_t{1} << bits);
}
