// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/utf8.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/constant.hpp"
#include "support/catch.hpp"

namespace {

namespace utf8 = condense::detail::utf8;

constexpr bool ill_formed_sequences_are_seen() {
    for (std::string_view const text :
         {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xFE", "\xF0\x9F\x98", "a\xC3z"})
        if (utf8::valid(text)) return false;
    return true;
}

constexpr bool ends_are_found() {
    constexpr std::string_view text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";
    return utf8::prefix(text, 0) == 0 && utf8::prefix(text, 1) == 1 && utf8::prefix(text, 2) == 3 &&
           utf8::prefix(text, 3) == 6 && utf8::prefix(text, 4) == 10 && utf8::prefix(text, 99) == 10 &&
           utf8::suffix(text, 0) == 10 && utf8::suffix(text, 1) == 6 && utf8::suffix(text, 3) == 1 &&
           utf8::suffix(text, 4) == 0 && utf8::suffix(text, ~std::uint64_t{0}) == 0;
}

constexpr bool boundaries_are_found() {
    constexpr std::string_view text = "a\xC3\xA4\xF0\x9F\x98\x80z";
    constexpr std::size_t below[] = {0, 1, 1, 3, 3, 3, 3, 7, 8, 8};
    constexpr std::size_t above[] = {0, 1, 3, 3, 7, 7, 7, 7, 8, 8};
    for (std::size_t at = 0; at < 10; ++at)
        if (utf8::floor(text, at) != below[at] || utf8::ceil(text, at) != above[at]) return false;
    return true;
}

/// Where code points begin, by decoding from the front.
std::vector<bool> boundaries(std::string_view text) {
    std::vector<bool> found(text.size() + 1, false);
    for (std::size_t at = 0; at < text.size(); at += utf8::decode(text, at).size) found[at] = true;
    found[text.size()] = true;
    return found;
}

}  // namespace

TEST_CASE("utf8: well-formed and ill-formed sequences") {
    // Well-formed sequences are taken whole: Unicode 15, table 3-7.
    CHECK_CONSTANT(utf8::valid("") && utf8::valid("a\x7F") && utf8::valid("\xC2\x80\xDF\xBF") &&
                   utf8::valid("\xE0\xA0\x80\xEC\xBF\xBF") && utf8::valid("\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF") &&
                   utf8::valid("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF") &&
                   utf8::count("\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA4z") == 4);
    CHECK_CONSTANT(ill_formed_sequences_are_seen());
    // Maximal parts count once.
    // One replacement for each maximal part, as in Unicode 15, table 3-8 and the example after it.
    CHECK_CONSTANT(utf8::count("\xE2\x82") == 1 && utf8::count("\xF0\x9F\x98") == 1 &&
                   utf8::count("\xF0\x9F\x98z") == 2 && utf8::count("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") == 9 &&
                   utf8::count("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") == 9 &&
                   utf8::count("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == 5 && utf8::count("\x80\x80\x80") == 3);
}

TEST_CASE("utf8: ends and boundaries") {
    CHECK_CONSTANT(ends_are_found());
    CHECK_CONSTANT(boundaries_are_found());
}

TEST_CASE("utf8: every code point is read, and its neighbours are not") {
    for (std::uint32_t point = 0; point < 0x110000; point += point < 0x3000 ? 1 : 61) {
        std::string text;
        if (point < 0x80) text = {static_cast<char>(point)};
        else if (point < 0x800) text = {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 63))};
        else if (point < 0x10000)
            text = {static_cast<char>(0xE0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 63)),
                    static_cast<char>(0x80 | (point & 63))};
        else
            text = {static_cast<char>(0xF0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 63)),
                    static_cast<char>(0x80 | (point >> 6 & 63)), static_cast<char>(0x80 | (point & 63))};
        bool const surrogate = point >= 0xD800 && point < 0xE000;
        REQUIRE(utf8::valid(text) == !surrogate);
        if (!surrogate) REQUIRE(utf8::decode(text, 0).size == text.size());
        if (text.size() > 1) REQUIRE_FALSE(utf8::valid(text.substr(0, text.size() - 1)));
    }
}

TEST_CASE("utf8: ill-formed parts are replaced, one for each") {
    CHECK(utf8::scrubbed("a\xFFz") == "a\xEF\xBF\xBDz");
    CHECK(utf8::scrubbed("\xE2\x82\xE2\x82\xAC") == "\xEF\xBF\xBD\xE2\x82\xAC");
    CHECK(utf8::scrubbed("fine \xF0\x9F\x98\x80") == "fine \xF0\x9F\x98\x80");
    std::string out = "kept ";
    utf8::append_scrubbed(out, "\x80\x80");
    CHECK(out == "kept \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("utf8: in any bytes counts grow, cuts agree, and what is scrubbed is valid") {
    constexpr std::array<unsigned char, 14> bytes = {'a',  'z',  0x80, 0xBF, 0xC2, 0xC3, 0xE0,
                                                     0xE2, 0xED, 0xF0, 0xF4, 0x90, 0xA0, 0xFF};
    std::uint64_t state = 3;
    for (int round = 0; round < 3'000; ++round) {
        std::string text;
        for (int size = 0; size < 16; ++size) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            auto const before = utf8::count(text);
            text.push_back(static_cast<char>(bytes[(state >> 33) % bytes.size()]));
            REQUIRE(utf8::count(text) >= before);
        }
        auto const starts = boundaries(text);
        std::size_t below = 0;
        for (std::size_t at = 0; at <= text.size(); ++at) {
            if (starts[at]) below = at;
            CAPTURE(round, at);
            REQUIRE(utf8::floor(text, at) == below);
            auto above = at;
            while (!starts[above]) ++above;
            REQUIRE(utf8::ceil(text, at) == above);
        }
        auto const points = utf8::count(text);
        for (std::uint64_t taken = 0; taken <= points; ++taken)
            REQUIRE(utf8::prefix(text, taken) == utf8::suffix(text, points - taken));
        auto const clean = utf8::scrubbed(text);
        REQUIRE(utf8::valid(clean));
        REQUIRE(utf8::count(clean) == points);
        REQUIRE(utf8::scrubbed(clean) == clean);
    }
}

TEST_CASE("utf8: what is no ASCII is seen at any place of a long run of it") {
    for (std::size_t place = 0; place < 40; ++place) {
        std::string const before(place, 'x');
        for (std::size_t more = 0; more < 20; ++more) {
            auto const odd = before + "\x80" + std::string(more, 'y');
            CHECK_FALSE(utf8::valid(odd));
            CHECK(utf8::ascii_end(odd, place / 2) == place);
            auto const text = before + "\xC3\xA4" + std::string(more, 'y');
            CHECK(utf8::valid(text));
            CHECK(utf8::count(text) == place + 1 + more);
            CHECK((utf8::prefix(text, place) == place && utf8::prefix(text, place + 1) == place + 2));
            CHECK(utf8::prefix(text, place + 1 + more / 2) == place + 2 + more / 2);
        }
    }
}
