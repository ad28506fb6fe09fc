// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/arguments.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/detail/json_scan.hpp>
#include <condense/policy/protect.hpp>

#include "shorten/hostile_texts.hpp"
#include "support/catch.hpp"
#include "support/fakes.hpp"

namespace {

using condense::any_tool;
using condense::part_view;
using condense::detail::string_cutter;
using condense::detail::tool_choice;
using fakes::repeated;
namespace detail = condense::detail;

static_assert(tool_choice<condense::any_tool_t>);
static_assert(tool_choice<decltype(condense::tools("write_*"))>);
static_assert(!tool_choice<int>);
static_assert(any_tool.holds({}) && any_tool.holds(part_view{.tool = "whatever"}));

constexpr std::string_view way = "the tool received it";
/// Ten characters of a string that has more than 200.
string_cutter const ten{10, 200, {}, way};

std::string marker(std::string missing, std::string total) {
    return "[... " + missing + " of " + total + " characters omitted; " + std::string{way} + " ...]";
}

bool only_what_is_over_the_limit_is_cut() {
    return ten.limit() == 200 && !ten(std::string(200, 'x')) && !ten.plain(std::string(200, 'x')) && !ten("") &&
           !ten.plain("") && ten(std::string(201, 'x')) == std::string(10, 'x') + marker("191", "201") &&
           ten.plain(std::string(201, 'x')) == std::string(10, 'x') + "\n" + marker("191", "201") &&
           ten.plain(repeated("123456789\n", 21)) == "123456789\n" + marker("200", "210");
}

/// An escape is a character, so is a pair of surrogates; half a pair is one by itself.
bool characters_are_cut_whole() {
    for (std::string_view const spelt :
         {"\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\xC3\xA9", "\xF0\x9F\x98\x80"}) {
        if (ten(repeated(spelt, 200))) return false;
        if (ten(repeated(spelt, 301)) != repeated(spelt, 10) + marker("291", "301")) return false;
    }
    return ten.plain(repeated("\xC3\xA9", 300)) == repeated("\xC3\xA9", 10) + "\n" + marker("290", "300") &&
           !ten.plain(repeated("\xC3\xA9", 200));
}

/// A limit within which the result would not fit is raised to the longest that a result can be.
bool what_was_cut_is_not_cut_again() {
    for (std::uint64_t const keep : {0u, 1u, 50u, 500u}) {
        string_cutter const cutter{keep, keep, {}, way};
        auto const limit = static_cast<std::size_t>(cutter.limit());
        if (limit <= keep + marker("1", "2").size()) return false;
        if (cutter(std::string(limit, 'x')) || cutter.plain(std::string(limit, 'x'))) return false;
        for (auto const size : {limit + 1, limit + 1'000}) {
            auto const cut = cutter(std::string(size, 'x'));
            auto const plain = cutter.plain(std::string(size, 'x'));
            if (!cut || cut->size() > limit || cutter(*cut)) return false;
            if (!plain || plain->size() > limit || cutter.plain(*plain)) return false;
        }
    }
    return string_cutter{~std::uint64_t{0}, 0, {}, way}.limit() == ~std::uint64_t{0};
}

}  // namespace

TEST_CASE("arguments: of a long string the beginning is kept") {
    CHECK(only_what_is_over_the_limit_is_cut());
    CHECK(characters_are_cut_whole());
    CHECK(what_was_cut_is_not_cut_again());
}

TEST_CASE("arguments: the way back is spelt as JSON") {
    string_cutter const quoting{10, 200, {}, "say \"again\"\n"};
    auto const cut = quoting(std::string(400, 'x'));
    REQUIRE(cut);
    CHECK(detail::json::valid("\"" + *cut + "\""));
    CHECK(cut->find("say \\\"again\\\"\\n") != std::string::npos);
}

TEST_CASE("arguments: where the whole is stored the marker says so") {
    condense::reference const id{{0xAB}};
    string_cutter const stored{10, 300, {id}, way};
    auto const cut = stored(std::string(400, 'x'));
    REQUIRE(cut);
    CHECK(cut->find("the whole is stored as " + id.text()) != std::string::npos);
    CHECK(cut->find(way) == std::string::npos);
}

TEST_CASE("arguments: any bytes become valid UTF-8 that is shorter") {
    for (auto const& [name, text] : laws::hostile_texts(100'000)) {
        CAPTURE(name);
        auto const cut = ten.plain(text);
        REQUIRE(cut);
        CHECK(cut->size() < text.size());
        CHECK(detail::utf8::valid(*cut));
        CHECK(detail::utf8::count(*cut) <= ten.limit());
        CHECK_FALSE(ten.plain(*cut));
    }
}
