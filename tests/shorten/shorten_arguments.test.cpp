// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/shorten_arguments.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/policy/protect.hpp>

#include "core/toy.hpp"
#include "shorten/shortener_laws.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::part_kind;
using condense::shorten_arguments;
using condense::tools;
using laws::replaced;
namespace json = condense::detail::json;

static_assert(condense::shortener<shorten_arguments<>>);
static_assert(condense::shortener<shorten_arguments<condense::tools_named<1>>>);

/// What becomes of the arguments of a call, or "" where it does not apply.
template <class Tools>
constexpr std::string cut(shorten_arguments<Tools> const& shorten, std::string_view arguments, condense::cut how = {},
                          std::string_view tool = "write_file") {
    return shorten({.kind = part_kind::tool_call, .text = arguments, .tool = tool, .call = "1"}, how).value_or("");
}

constexpr std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    while (count-- != 0) out.append(text);
    return out;
}

/// {"content": "..."} of this many letters.
constexpr std::string writing(std::size_t count) {
    return R"({"path": "a.txt", "content": ")" + std::string(count, 'x') + R"(","n": 1.50e+2 })";
}

constexpr shorten_arguments short_limit{.over = 200_chars, .keep = 10_chars};

constexpr bool long_strings_become_a_prefix_and_a_marker() {
    return cut(short_limit, writing(201)) ==
               R"({"path": "a.txt", "content": "xxxxxxxxxx[... 191 of 201 characters omitted; the tool received all of them ...]","n": 1.50e+2 })" &&
           cut(short_limit, writing(200)).empty();
}
static_assert(toy::run_time_only || long_strings_become_a_prefix_and_a_marker());

/// Of four characters: one escape, a pair of surrogates, a line break and a backslash, 22 bytes.
constexpr bool cuts_fall_between_escapes() {
    for (std::size_t const keep : {0u, 1u, 2u, 3u, 4u, 21u}) {
        shorten_arguments const shorten{.over = 150_chars, .keep = {keep}};
        auto const text = "[\"" + repeated(R"(\u00e9\ud83D\uDe00\n\\)", 40) + "\"]";
        auto const out = cut(shorten, text);
        auto const kept = repeated(R"(\u00e9\ud83D\uDe00\n\\)", 10);
        auto const end = json::prefix_spelt(kept, keep);
        if (end != keep / 4 * 22 + (keep % 4 > 0 ? 6u : 0u) + (keep % 4 > 1 ? 12u : 0u) + (keep % 4 > 2 ? 2u : 0u))
            return false;
        if (!json::valid(out) || !out.starts_with("[\"" + kept.substr(0, end) + "[... ")) return false;
    }
    return true;
}
static_assert(toy::run_time_only || cuts_fall_between_escapes());

}  // namespace

TEST_CASE("shorten_arguments: what is required while constants are evaluated holds at run time too") {
    CHECK(long_strings_become_a_prefix_and_a_marker());
    CHECK(cuts_fall_between_escapes());
}

TEST_CASE("shorten_arguments: the limit is of one string") {
    CHECK(cut(shorten_arguments{}, "{\"a\":\"" + repeated("x", 1'500) + "\",\"b\":\"" + repeated("y", 1'500) + "\"}")
              .empty());
    CHECK(cut(shorten_arguments{}, "[\"" + repeated("x", 2'000) + "\"]").empty());
    CHECK(cut(shorten_arguments{}, "[\"" + repeated("x", 2'001) + "\"]") ==
          "[\"" + repeated("x", 20) + "[... 1,981 of 2,001 characters omitted; the tool received all of them ...]\"]");
}

TEST_CASE("shorten_arguments: strings are found wherever they are, and all else stays") {
    auto const text = std::string(300, 't');
    auto const marker = "tttttttttt[... 290 of 300 characters omitted; the tool received all of them ...]";
    for (auto const* const shape :
         {R"("TEXT")", R"( "TEXT" )", R"(["TEXT"])", R"([1,"TEXT",null])", R"({"a":"TEXT"})",
          R"({"a":{"b":["x",{"c":"TEXT"}]}})", R"({ "a" : 1.0 , "a" :"TEXT", "a": 1e5,"A":-0 })", R"({"TEXT":"TEXT"})",
          R"({"k":[[],{},"TEXT","TEXT"],"m":true})", R"({"\"\\":"\"TEXT",":":"TEXT:","{":"}"})"}) {
        CAPTURE(shape);
        auto const before = replaced(shape, "TEXT", text);
        std::string wanted{shape};
        auto const out = cut(short_limit, before);
        REQUIRE(json::valid(out));
        CHECK(out.size() < before.size());
        // Keys stay, values go: what is left of either is where it was.
        std::vector<std::string> keys;
        json::each_string(out, [&](json::spelt_string const& found) {
            CHECK(found.text.size() < 100);
            keys.emplace_back(found.key);
        });
        std::vector<std::string> keys_before;
        json::each_string(before, [&](json::spelt_string const& found) { keys_before.emplace_back(found.key); });
        CHECK(keys == keys_before);
        if (wanted.find("TEXT") == wanted.rfind("TEXT") && wanted.find("\"TEXT\"") != wanted.npos) {
            wanted.replace(wanted.find("TEXT"), 4, marker);
            CHECK(out == wanted);
        }
    }
    CHECK(cut(short_limit, "{\"" + std::string(1'000'000, 'k') + "\":1}").empty());
    auto const huge_key = "{\"" + std::string(100'000, 'k') + "\":\"";
    CHECK(cut(short_limit, huge_key + text + "\"}") == huge_key + marker + "\"}");
}

TEST_CASE("shorten_arguments: what is no JSON is left alone") {
    auto const text = std::string(5'000, 'x');
    for (auto const& arguments :
         {text, "{\"a\":\"" + text, "{\"a\":\"" + text + "\"", "{\"a\":\"" + text + "\"}}",
          "{\"a\":\"" + text + "\\\"}", "{\"a\":\"" + text + "\\q\"}", "{\"a\":\"" + text + "\\u12g4\"}",
          "{\"a\":\"" + text + "\xFF\"}", "{\"a\":\"" + text + "\n\"}",
          "{\"a\":\"" + text + std::string(1, '\0') + "\"}", "{'a':\"" + text + "\"}", "{\"a\":\"" + text + "\",}",
          "[\"" + text + "\" \"\"]", "\xEF\xBB\xBF[\"" + text + "\"]", std::string(1'000'000, '['),
          std::string(129, '[') + "\"" + text + "\"" + std::string(129, ']'), std::string(1'000'000, '"')})
        CHECK(cut(shorten_arguments{}, arguments).empty());
    CHECK_FALSE(cut(shorten_arguments{}, std::string(128, '[') + "\"" + text + "\"" + std::string(128, ']')).empty());
    CHECK_FALSE(cut(shorten_arguments{}, "[\"" + text + "\\u0000\"]").empty());
}

TEST_CASE("shorten_arguments: for calls of the tools that are named") {
    auto const arguments = writing(3'000);
    shorten_arguments const shorten{.tools = tools("write_*", "patch")};
    CHECK_FALSE(cut(shorten, arguments, {}, "write_file").empty());
    CHECK_FALSE(cut(shorten, arguments, {}, "patch").empty());
    CHECK(cut(shorten, arguments, {}, "read_file").empty());
    CHECK(cut(shorten, arguments, {}, "").empty());
    CHECK_FALSE(cut(shorten_arguments{}, arguments, {}, "").empty());
    for (auto const kind :
         {part_kind::text, part_kind::tool_result, part_kind::reasoning, part_kind::media, part_kind::other})
        CHECK_FALSE(shorten_arguments{}({.kind = kind, .text = arguments}, {}));
    CHECK_FALSE(shorten_arguments{}({.kind = part_kind::tool_call, .text = arguments, .sealed = true}, {}));
}

TEST_CASE("shorten_arguments: every halving keeps less, says where the rest is and cuts once") {
    auto const arguments = writing(1'900);
    CHECK(cut(shorten_arguments{}, arguments).empty());
    auto last = arguments.size();
    for (unsigned halvings = 1; halvings < 5; ++halvings) {
        auto const out = cut(shorten_arguments{}, arguments, {.halvings = halvings});
        CHECK(json::valid(out));
        CHECK(out.size() < last);
        last = out.size();
    }
    for (unsigned const halvings : {6u, 63u, 64u, ~0u}) {
        auto const out = cut(shorten_arguments{}, arguments, {.halvings = halvings});
        CHECK(out.find(": \"[... 1,900 of 1,900 characters omitted; ") != out.npos);
        CHECK(cut(shorten_arguments{}, out, {.halvings = halvings}).empty());
    }
    CHECK(cut(short_limit, writing(300), {.how = {{{0xAB}}}})
              .find("omitted; the whole is stored as ab0000000000000000000000 ...]") != std::string::npos);
    shorten_arguments const quoting{.otherwise = "see \"notes\"\n\\"};
    CHECK(cut(quoting, writing(3'000)).find(R"(omitted; see \"notes\"\n\\ ...])") != std::string::npos);
    CHECK(json::valid(cut(quoting, writing(3'000))));
}

TEST_CASE("shorten_arguments: what cannot work is rejected") {
    CHECK_NOTHROW(shorten_arguments{}.validate());
    CHECK_NOTHROW((shorten_arguments{.over = 21_chars}.validate()));
    CHECK_THROWS_AS((shorten_arguments{.over = 20_chars}.validate()), condense::invalid_configuration);
    CHECK_THROWS_AS((shorten_arguments{.otherwise = "\xFF"}.validate()), condense::invalid_configuration);
    std::string const long_words(97, 'x');
    CHECK_THROWS_AS((shorten_arguments{.otherwise = long_words}.validate()), condense::invalid_configuration);
}

namespace {

/// All that stands outside of the strings that are values.
std::string frame_of(std::string_view text) {
    std::string out;
    std::size_t copied = 0;
    json::each_string(text, [&](json::spelt_string const& found) {
        out.append(text.substr(copied, found.begin - copied)).push_back('$');
        copied = found.begin + found.text.size();
    });
    return out.append(text.substr(copied));
}

}  // namespace

TEST_CASE("shorten_arguments: the laws hold for any limits, and what is no long string stays") {
    auto const figures = [](std::string_view before, std::string_view after) -> std::optional<laws::figures> {
        if (frame_of(after) != frame_of(before)) return laws::wrong_figures;
        return laws::figures_of_strings(before, after);
    };
    laws::laws_of_any(
        [&](laws::random_source& random) {
            shorten_arguments const shorten{.over = {random.below(400)}, .keep = {random.below(60)}};
            return std::pair{shorten,
                             laws::promises{.texts = laws::json_texts(), .keeps_json = true, .figures = figures}};
        },
        2'000, 25);
}
