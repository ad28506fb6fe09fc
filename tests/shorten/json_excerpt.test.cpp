// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/json_excerpt.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/detail/json_scan.hpp>

#include "laws/generator.hpp"
#include "shorten/texts.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

namespace json = condense::detail::json;
using json::excerpt_limits;
using json::excerpt_writer;
using json::token;

/// 3 keys, 4 keys of a row, 2 + 1 elements, 1 that differs, 10 characters.
constexpr excerpt_limits few{3, 4, 2, 1, 1, 10, false};

struct excerpt_of {
    std::string text = {};
    bool json = false;
    bool omits = false;

    explicit excerpt_of(std::string_view json_text, excerpt_limits const& limits = few,
                        condense::text_limit const& size_limit = {}) {
        excerpt_writer write{json_text, {}, limits.outliers != 0};
        json = write.is_json();
        if (json) omits = write(text, limits, size_limit);
    }
};

std::string written(std::string_view text, excerpt_limits const& limits = few) {
    excerpt_of const made{text, limits};
    return made.json ? made.text : "no JSON";
}

constexpr bool members_are_counted() {
    auto const is = [](json::member_counts const& found, token kind, std::uint64_t members, std::uint64_t nulls) {
        return found.kind == kind && found.members == members && found.nulls == nulls;
    };
    return is(json::count_members(R"( {"a":null,"b":{"c":null},"a":[null,1],"d":null} )"), token::object, 4, 2) &&
           is(json::count_members("[1,[2,3],null,{\"a\":1},\"]\"]"), token::array, 5, 1) &&
           is(json::count_members("{}"), token::object, 0, 0) && is(json::count_members("[ ]"), token::array, 0, 0) &&
           json::count_members("[1,2").kind == token::bad && json::count_members("{} {}").kind == token::bad &&
           json::count_members("").kind == token::bad && !json::opens(json::count_members("12").kind);
}
static_assert(members_are_counted());

std::string array_of(std::string_view element, std::size_t count) {
    std::string out{"["};
    for (std::size_t index = 0; index < count; ++index) out.append(index == 0 ? "" : ",").append(element);
    return out + "]";
}

}  // namespace

TEST_CASE("json_excerpt: members and rows are counted in one pass") {
    CHECK(members_are_counted());
    for (std::string_view const text : {"[1,[2,3],null]", "[]", R"({"a":1})", "[1,", "[1] 2", "[1 2]", "", "7"}) {
        CAPTURE(text);
        json::outliers rows;
        auto const found = json::count_rows(text, rows);
        CHECK(found.kind == json::count_members(text).kind);
        CHECK(found.members == json::count_members(text).members);
    }
}

TEST_CASE("json_excerpt: rows that differ from the rest stay where they stand") {
    auto text = array_of(R"({"state":"open"})", 40);
    text.insert(text.find("},{", 200) + 2, R"({"state":"lost","why":"no disk"},)");
    auto const made = written(text);
    CHECK(made.starts_with(R"([{"state":"open"},{"state":"open"},"[... 37 of 41 items omitted from )"));
    CHECK(made.ends_with(R"( ...]",{"state":"lost","why":"no disk"},{"state":"open"}])"));
    CHECK(written(text, {3, 4, 2, 1, 0, 10, false}).find("lost") == std::string::npos);
}

TEST_CASE("json_excerpt: strings and numbers are cut where that is worth a marker") {
    auto const in_array = [](std::string const& value) { return written("[" + value + "]"); };
    CHECK(in_array('"' + std::string(154, 'x') + '"') == "[\"" + std::string(154, 'x') + "\"]");
    CHECK(in_array('"' + std::string(155, 'x') + '"')
              .starts_with("[\"xxxxxxxxxx [... 145 of 155 characters omitted ...]\","));
    CHECK(in_array(std::string(200, '7')).starts_with("[\"7777777777 [... 190 of 200 characters omitted ...]\","));
    std::string escapes;
    for (int count = 0; count < 200; ++count) escapes += "\\ud83d\\ude00";
    CHECK(in_array('"' + escapes + '"')
              .starts_with("[\"" + escapes.substr(0, 120) + " [... 190 of 200 characters omitted ...]\","));
}

TEST_CASE("json_excerpt: a size limit changes nothing but what exceeds it") {
    std::size_t stopped = 0;
    auto const wanted = rounds(300);
    for (std::uint64_t seed = 0; seed < wanted; ++seed) {
        INFO("seed " << seed);
        laws::random_source random{seed};
        auto const text =
            laws::text_generator{seed}.make(random.chance(50) ? laws::text_kind::json : laws::text_kind::rows);
        excerpt_writer write{text, {}, true};
        if (!write.is_json()) continue;
        // One writer for all, with limits that go up and down.
        for (int round = 0; round < 4; ++round) {
            excerpt_limits const limits{random.below(5), random.below(5),  random.below(4),  random.below(3),
                                        random.below(4), random.below(60), random.chance(30)};
            excerpt_of const whole{text, limits};
            auto const size = whole.text.size() * (50 + random.below(100)) / 100;
            auto const limit = random.chance(50) ? condense::text_limit{condense::bytes{size}} : condense::chars{size};
            std::string limited;
            bool const omits = write(limited, limits, limit);
            REQUIRE(limit.holds(limited) == limit.holds(whole.text));
            if (limit.holds(limited)) REQUIRE((limited == whole.text && omits == whole.omits));
            // Without omissions it is no longer than the text.
            if (limit.holds(text)) REQUIRE(omits == whole.omits);
            stopped += limited.size() < whole.text.size() ? 1u : 0u;
        }
    }
    CHECK(stopped > wanted / 8);
}
