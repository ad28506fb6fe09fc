// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/protect.hpp>
#include <condense/shorten/shorten_arguments.hpp>

#include "core/toy.hpp"
#include "shorten/shortener_laws.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using condense::part_kind, condense::shorten_arguments, condense::tools, fakes::repeated, laws::replaced;
namespace detail = condense::detail;
namespace json = detail::json;

static_assert(condense::shortener<shorten_arguments<>>);
static_assert(condense::shortener<shorten_arguments<condense::tools_named<1>>>);

/// What becomes of the arguments of a call, or "" where it does not apply.
constexpr std::string cut(auto const& shorten, std::string_view arguments, condense::cut how = {},
                          std::string_view tool = "write_file") {
    return shorten({.kind = part_kind::tool_call, .text = arguments, .tool = tool, .call = "1"}, how).value_or("");
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

TEST_CASE("shorten_arguments: the limit is of one string, and what is required of constants holds at run time too") {
    CHECK(long_strings_become_a_prefix_and_a_marker());
    CHECK(cuts_fall_between_escapes());
    CHECK(cut(shorten_arguments{}, "{\"a\":\"" + repeated("x", 1'500) + "\",\"b\":\"" + repeated("y", 1'500) + "\"}")
              .empty());
    CHECK(cut(shorten_arguments{}, "[\"" + repeated("x", 2'000) + "\"]").empty());
    CHECK(cut(shorten_arguments{}, "[\"" + repeated("x", 2'001) + "\"]") ==
          "[\"" + repeated("x", 20) + "[... 1,981 of 2,001 characters omitted; the tool received all of them ...]\"]");
}

TEST_CASE("shorten_arguments: strings are found wherever they are, and all else stays") {
    auto const text = std::string(300, 't');
    auto const keys_of = [](std::string_view arguments) {
        std::vector<std::string> keys;
        json::each_string(arguments, [&](json::spelt_string const& found) { keys.emplace_back(found.key); });
        return keys;
    };
    auto const left = "tttttttttt[... 290 of 300 characters omitted; the tool received all of them ...]";
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
        json::each_string(out, [&](json::spelt_string const& found) { CHECK(found.text.size() < 100); });
        CHECK(keys_of(out) == keys_of(before));
        if (wanted.find("TEXT") == wanted.rfind("TEXT") && wanted.find("\"TEXT\"") != wanted.npos) {
            wanted.replace(wanted.find("TEXT"), 4, left);
            CHECK(out == wanted);
        }
    }
    CHECK(cut(short_limit, "{\"" + std::string(1'000'000, 'k') + "\":1}").empty());
    auto const huge_key = "{\"" + std::string(100'000, 'k') + "\":\"";
    CHECK(cut(short_limit, huge_key + text + "\"}") == huge_key + left + "\"}");
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
    std::string const long_words(97, 'x');
    for (auto const& bad : {shorten_arguments{.over = 20_chars}, shorten_arguments{.otherwise = "\xFF"},
                            shorten_arguments{.otherwise = long_words}})
        CHECK_THROWS_AS(bad.validate(), condense::invalid_configuration);
}

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

TEST_CASE("shorten_arguments: the laws hold for any limits, and what is no long string stays") {
    auto const read = [](std::string_view before, std::string_view after) -> std::optional<laws::figures> {
        if (frame_of(after) != frame_of(before)) return laws::wrong_figures;
        return laws::figures_of_strings(before, after);
    };
    laws::laws_of_any(
        [&](laws::random_source& random) {
            shorten_arguments const shorten{.over = {random.below(400)}, .keep = {random.below(60)}};
            return std::pair{shorten, laws::promises{.texts = laws::json_texts(), .keeps_json = true, .figures = read}};
        },
        2'000, 25);
}

// How one string is cut

static_assert(detail::tool_choice<condense::any_tool_t>);
static_assert(detail::tool_choice<decltype(tools("write_*"))>);
static_assert(!detail::tool_choice<int>);
static_assert(condense::any_tool.holds({}) && condense::any_tool.holds(condense::part_view{.tool = "whatever"}));

constexpr std::string_view way = "the tool received it";
/// Ten characters of a string that has more than 200.
detail::string_cutter const ten{10, 200, {}, way};

std::string marker(std::string missing, std::string total) {
    return "[... " + missing + " of " + total + " characters omitted; " + std::string{way} + " ...]";
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
        detail::string_cutter const cutter{keep, keep, {}, way};
        auto const limit = static_cast<std::size_t>(cutter.limit());
        if (limit <= keep + marker("1", "2").size()) return false;
        if (cutter(std::string(limit, 'x')) || cutter.plain(std::string(limit, 'x'))) return false;
        for (auto const size : {limit + 1, limit + 1'000}) {
            auto const made = cutter(std::string(size, 'x'));
            auto const plain = cutter.plain(std::string(size, 'x'));
            if (!made || made->size() > limit || cutter(*made)) return false;
            if (!plain || plain->size() > limit || cutter.plain(*plain)) return false;
        }
    }
    return detail::string_cutter{~std::uint64_t{0}, 0, {}, way}.limit() == ~std::uint64_t{0};
}

TEST_CASE("arguments: of a long string the beginning is kept, and the marker says how to have the rest back") {
    CHECK((ten.limit() == 200 && !ten(std::string(200, 'x')) && !ten.plain(std::string(200, 'x')) && !ten("") &&
           !ten.plain("") && ten(std::string(201, 'x')) == std::string(10, 'x') + marker("191", "201") &&
           ten.plain(std::string(201, 'x')) == std::string(10, 'x') + "\n" + marker("191", "201") &&
           ten.plain(repeated("123456789\n", 21)) == "123456789\n" + marker("200", "210")));
    CHECK(characters_are_cut_whole());
    CHECK(what_was_cut_is_not_cut_again());
    auto const long_text = std::string(400, 'x');
    auto const quoted = detail::string_cutter{10, 200, {}, "say \"again\"\n"}(long_text).value();
    CHECK(json::valid("\"" + quoted + "\""));
    CHECK(quoted.find("say \\\"again\\\"\\n") != std::string::npos);
    condense::reference const id{{0xAB}};
    auto const stored = detail::string_cutter{10, 300, {id}, way}(long_text).value();
    CHECK(stored.find("the whole is stored as " + id.text()) != std::string::npos);
    CHECK(stored.find(way) == std::string::npos);
}

TEST_CASE("arguments: any bytes become valid UTF-8 that is shorter") {
    for (auto const& [name, text] : laws::hostile_texts(100'000)) {
        CAPTURE(name);
        auto const made = ten.plain(text);
        REQUIRE(made);
        CHECK(made->size() < text.size());
        CHECK(detail::utf8::valid(*made));
        CHECK(detail::utf8::count(*made) <= ten.limit());
        CHECK_FALSE(ten.plain(*made));
    }
}

}  // namespace
