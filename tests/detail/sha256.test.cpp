// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/sha256.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::sha256;

constexpr bool is(sha256 const& hash, std::string_view digits) {
    std::size_t place = 0;
    for (auto const byte : hash.digest())
        for (auto const half : {byte >> 4, byte & 15})
            if ("0123456789abcdef"[half] != digits[place++]) return false;
    return place == digits.size();
}

// The published examples, and the sizes around which the padding needs another block.
static_assert(is(sha256{}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
static_assert(is(sha256{}.add("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
static_assert(is(sha256{}.add("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
static_assert(is(sha256{}.add("ab").add("").add("c"),
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));

}  // namespace

TEST_CASE("sha256: texts of every size about a block") {
    // From another implementation.
    struct example {
        std::size_t size;
        std::string_view digits;
    };
    for (auto const& [size, digits] :
         {example{55, "aadaed00a3c5fbb8072ae7f1984ba8199fbe5272de427d11eaf31583af37db51"},
          example{56, "528ff50ab05e77bbbd224a9ec86165dbb6824a9a9efb544be0a1d57d5b416457"},
          example{63, "d12449c8124182545ae91924286cc6af13528bcf62a5ddbd5e00b891fffc1b48"},
          example{64, "8667e718294e9e0df1d30600ba3eeb201f764aad2dad72748643e4a285e1d1f7"},
          example{65, "855c9a28fff2bbbd71327165554a00c6fdd44d5d58c1f12b8fdff29b5d67f001"},
          example{119, "b863f94597d433ef2280e3b4656f13ea265a79bb8047287321c218905b03c99b"},
          example{120, "9088fee917e5a748c2f0b4f5458c1cbdabbd696291c69be6e605bae0ef779e8f"},
          example{1'000'000, "bfa872a3021d48c84643f831ee5f9358bceccf3ad6a5f8b3a7a00e0b3f22bdbc"}})
        CHECK(is(sha256{}.add(std::string(size, '\xFF')), digits));
}
