// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <condense/detail/base64.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/sha256.hpp>
#include <condense/detail/xxhash.hpp>

#include "core/constant.hpp"
#include "support/catch.hpp"

namespace {

namespace base64 = condense::detail::base64;
using condense::detail::fnv1a, condense::detail::sha256;

constexpr bool is(sha256 const& hash, std::string_view digits) {
    std::size_t place = 0;
    for (auto const byte : hash.digest())
        for (auto const half : {byte >> 4, byte & 15})
            if ("0123456789abcdef"[half] != digits[place++]) return false;
    return place == digits.size();
}

std::string encoded(std::string_view bytes) {
    std::string text;
    base64::append(text, bytes);
    return text;
}

TEST_CASE("fnv: the vectors of its authors, and a text in two pieces is one text") {
    CHECK_CONSTANT(fnv1a("") == 0xCBF29CE484222325u && fnv1a("a") == 0xAF63DC4C8601EC8Cu &&
                   fnv1a("foobar") == 0x85944171F73967E8u);
    CHECK_CONSTANT(fnv1a("bar", fnv1a("foo")) == fnv1a("foobar") && fnv1a("\xFF") != fnv1a("\x7F"));
}

TEST_CASE("sha256: the published examples, and texts of every size about a block") {
    constexpr std::string_view abc{"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};
    CHECK_CONSTANT(is(sha256{}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    CHECK_CONSTANT(is(sha256{}.add("abc"), abc) && is(sha256{}.add("ab").add("").add("c"), abc));
    CHECK_CONSTANT(is(sha256{}.add("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    // From another implementation: the sizes around which the padding needs another block.
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

// Figures of the program xxhsum (-H3, -H128) for an empty file and for one of 300 bytes, which are hashed in stripes.
TEST_CASE("xxhash: its hashes are XXH3's, whatever is inlined") {
    CHECK(XXH3_64bits("", 0) == 0x2D06800538D394C2u);
    auto const empty = XXH3_128bits("", 0);
    CHECK((empty.high64 == 0x99AA06D3014798D8u && empty.low64 == 0x6001C324468D497Fu));
    std::string const text(300, 'x');
    auto const striped = XXH3_128bits(text.data(), text.size());
    CHECK((striped.high64 == 0x125237EA2AD7BC7Au && striped.low64 == 0xA5D1B4607DC83554u));
}

TEST_CASE("base64: the vectors of RFC 4648, section 10, and anything else is refused") {
    for (auto const& [bytes, text] : {std::pair<std::string_view, std::string_view>{"", ""},
                                      {"f", "Zg=="},
                                      {"fo", "Zm8="},
                                      {"foo", "Zm9v"},
                                      {"foob", "Zm9vYg=="},
                                      {"fooba", "Zm9vYmE="},
                                      {"foobar", "Zm9vYmFy"},
                                      {"\xFB\xFF\xFE", "+//+"}}) {
        CHECK(encoded(bytes) == text);
        std::string out;
        CHECK((base64::append_decoded(out, text) && out == bytes));
    }
    for (std::string_view const text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Z===", "Zg==Zg==", "Zg=a", "Zm9v\n",
                                        "Zm 9", "Zm-_", "Zm9vYmF", "\xFFm9v"}) {
        CAPTURE(text);
        std::string out;
        CHECK_FALSE(base64::append_decoded(out, text));
    }
}

TEST_CASE("base64: any bytes come back, and no text stands for the same bytes twice") {
    std::string bytes;
    for (int value = 0; value < 600; ++value) {
        auto const text = encoded(bytes);
        CHECK(text.size() == (bytes.size() + 2) / 3 * 4);
        std::string back;
        CHECK((base64::append_decoded(back, text) && back == bytes));
        bytes.push_back(static_cast<char>(value * 7));
    }
    int accepted = 0;
    for (std::size_t place = 0; place < 4; ++place)
        for (int value = 0; value < 256; ++value) {
            std::string changed{"Zg=="};
            changed[place] = static_cast<char>(value);
            std::string back;
            if (!base64::append_decoded(back, changed)) continue;
            CHECK(encoded(back) == changed);
            ++accepted;
        }
    CHECK(accepted == 64 + 4 + 17 + 1);
}

}  // namespace
