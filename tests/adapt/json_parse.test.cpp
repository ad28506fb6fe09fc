// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_parse.hpp>

#include "support/catch.hpp"

namespace {

using namespace std::literals;
using condense::detail::parse_cbor;
using condense::detail::json::is_plain_cbor;
using nlohmann::json, nlohmann::ordered_json;
static_assert(condense::json_type<json> && condense::json_type<ordered_json>);
static_assert(!condense::json_type<json const> && !condense::json_type<json&> && !condense::json_type<std::string>);

std::string nested(std::size_t levels, std::string_view open, std::string_view inner = {},
                   std::string_view close = {}) {
    std::string text;
    for (std::size_t level = 0; level < levels; ++level) text += open;
    text += inner;
    for (std::size_t level = 0; level < levels; ++level) text += close;
    return text;
}

constexpr auto plain_cbor = {"\x00"sv,  "\x17"sv,          "\x18\xFF"sv,     "\x19\x01\x00"sv,
                             "\x20"sv,  "\x40"sv,          "\x42\xFF\xFF"sv, "\x60"sv,
                             "\x61z"sv, "\x78\x01z"sv,     "\x80"sv,         "\x82\x01\x80"sv,
                             "\xA0"sv,  "\xA1\x61z\xA0"sv, "\xF6"sv,         "\xF9\x7C\x00"sv};
constexpr auto plain_and_longer = {"\x1A\0\0\0\0"sv, "\x1B\0\0\0\0\0\0\0\0"sv, "\x98\x02\x01\x02"sv,
                                   "\xFB\0\0\0\0\0\0\0\0"sv};
constexpr auto cut_numbers_and_strings = {""sv,     "\x18"sv,  "\x19\x01"sv, "\x1B\0\0\0\0\0\0\0"sv,
                                          "\x61"sv, "\x42z"sv, "\x78\x02z"sv};
constexpr auto missing_elements = {"\x81"sv, "\x82\x01"sv, "\xA1\x61z"sv, "\xA1"sv};
constexpr auto two_items = {"\x01\x01"sv, "\x80\x80"sv};
constexpr auto unknown_lengths = {"\x9F\xFF"sv, "\xBF\xFF"sv, "\x7F\xFF"sv, "\x5F\xFF"sv, "\xFF"sv};
constexpr auto reserved = {"\x1C\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv, "\x1E"sv};
constexpr auto tags = {"\xC0"sv, "\xC1\x01"sv, "\xC0\x61z"sv, "\xD9\xD9\xF7\x01"sv};
constexpr auto lengths_without_content = {
    "\x9B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv, "\xBB\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"sv, "\xBB\x80\0\0\0\0\0\0\0"sv,
    "\x7B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv, "\x5B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv, "\x9A\xFF\xFF\xFF\xFF\x01"sv};

constexpr bool all_are_plain(std::initializer_list<std::string_view> items) {
    return std::all_of(items.begin(), items.end(), is_plain_cbor);
}
constexpr bool none_is_plain(std::initializer_list<std::string_view> items) {
    return std::none_of(items.begin(), items.end(), is_plain_cbor);
}

constexpr bool cbor_is_taken_as_it_is_written_here() {
    return all_are_plain(plain_cbor) && all_are_plain(plain_and_longer) && none_is_plain(cut_numbers_and_strings) &&
           none_is_plain(missing_elements) && none_is_plain(two_items) && none_is_plain(unknown_lengths) &&
           none_is_plain(reserved) && none_is_plain(tags) && none_is_plain(lengths_without_content);
}
static_assert(cbor_is_taken_as_it_is_written_here());

}  // namespace

TEST_CASE("json_parse: CBOR is taken as it is written here", "[adapt][json]") {
    CHECK(cbor_is_taken_as_it_is_written_here());
}

TEST_CASE("json_parse: half a surrogate pair is read as U+FFFD, and nothing else changes", "[adapt][json]") {
    auto const read = [](std::string_view text) { return condense::parse_json(text).value.dump(); };
    CHECK(read(R"(["a \ud83d b", "\uDE00", 1.50])") == "[\"a \xEF\xBF\xBD b\",\"\xEF\xBF\xBD\",1.5]");
    CHECK(read(R"(["\ud83d\ud83d\ude00", "\\ud83d"])") == "[\"\xEF\xBF\xBD\xF0\x9F\x98\x80\",\"\\\\ud83d\"]");
    CHECK_FALSE(condense::parse_json(R"(["\ud8xx"])"));
    CHECK(condense::parse_json(R"(["\ud83d)").error.starts_with("condense: parse_json: byte "));
}

TEST_CASE("json_parse: text keeps order by default and never throws", "[adapt][json]") {
    auto const good = condense::parse_json("\n {\"b\":1,\"a\":[true,\"\\u00e9\"]} ");
    REQUIRE(good);
    CHECK(good.error.empty());
    CHECK(good.value.dump() == "{\"b\":1,\"a\":[true,\"\xC3\xA9\"]}");
    CHECK(condense::parse_json<json>(R"({"b":1,"a":2})").value.dump() == R"({"a":2,"b":1})");
    CHECK(condense::parse_json<json>(R"({"a":1,"a":2})").value.dump() == json::parse(R"({"a":1,"a":2})").dump());
    CHECK(condense::parse_json("null"));

    auto const bad = condense::parse_json("{\"a\":1,\n\"b\":oops}");
    CHECK_FALSE(bad);
    CHECK(bad.value.is_null());
    CHECK(bad.error == "condense: parse_json: byte 13, line 2: syntax error while parsing value - invalid literal");
    CHECK(condense::parse_json("1e999").error == "condense: parse_json: byte 5, line 1: number overflow");
    for (auto const* const text :
         {"", " ", "{", "]", "{} {}", "\"", "\"\xFF\"", "[1,]", "{\"a\"}", "tru", "\"\\u12\"", "]]]"}) {
        CAPTURE(text);
        auto const read = condense::parse_json(text);
        CHECK_FALSE(read);
        CHECK(read.error.find("byte ") != std::string::npos);
        CHECK(read.error.find("line ") != std::string::npos);
    }
    CHECK_FALSE(condense::parse_json(std::string_view{}));
}

TEST_CASE("json_parse: the tree is that of the library's parser", "[adapt][json]") {
    for (auto const* const text :
         {"null", "true", "-1", "18446744073709551615", "1.5e3", "\"\\u00e9\\n\"", "[]", "{}", "[[],{},[1,[2]],\"x\"]",
          R"({"a":{"b":[{"c":1},{"d":{}}],"e":null},"f":"g"})", R"({"a":1,"b":2,"a":{"c":3},"b":4,"d":5,"a":6})",
          R"([{"":1,"":2},{"x":[{"y":1,"y":[2]}]}])"}) {
        CAPTURE(text);
        CHECK(condense::parse_json(text).value.dump() == ordered_json::parse(text).dump());
        CHECK(condense::parse_json<json>(text).value == json::parse(text));
    }
    std::string many = "{";
    for (int i = 0; i < 300; ++i) many += "\"k" + std::to_string(i * 7 % 200) + "\":" + std::to_string(i) + ",";
    many.back() = '}';
    CHECK(condense::parse_json(many).value.size() == 200);
    CHECK(condense::parse_json(many).value.dump() == ordered_json::parse(many).dump());
}

TEST_CASE("json_parse: errors quote nothing", "[adapt][json]") {
    std::string const hostile =
        "[\"ok\", \x9B"
        "31m" +
        std::string(10'000, 'x') + "]";
    for (auto const& text : {hostile, "\"" + hostile, "{\"k\":" + hostile, std::string{"[1e99999999999999999999]"}}) {
        auto const error = condense::parse_json(text).error;
        CAPTURE(error);
        CHECK(error.size() < 160);
        CHECK(std::all_of(error.begin(), error.end(), [](char byte) { return byte >= ' ' && byte < 0x7F; }));
        CHECK(error.find("xx") == std::string::npos);
        CHECK(error.find("999") == std::string::npos);
    }
}

TEST_CASE("json_parse: text is read to 128 levels and no deeper", "[adapt][json]") {
    CHECK(condense::parse_json(nested(128, "[", "", "]")));
    CHECK(condense::parse_json(nested(128, "{\"a\":", "1", "}")));
    CHECK(condense::parse_json(nested(129, "[", "", "]")).error ==
          "condense: parse_json: byte 129, line 1: nested deeper than 128");
    CHECK_FALSE(condense::parse_json(nested(129, "{\"a\":", "1", "}")));
    CHECK_FALSE(condense::parse_json(nested(65, "[{\"a\":", "1", "}]")));
    CHECK(condense::parse_json(nested(64, "[{\"a\":", "1", "}]")));
    CHECK_FALSE(condense::parse_json(nested(1'000'000, "[")));
    CHECK(condense::parse_json("[\"" + std::string(200, '[') + "\\\"" + std::string(200, '{') + "\\\\\"]"));
    CHECK(condense::parse_json("[" + nested(500, "[],") + "[]]"));
    CHECK(condense::parse_json("[" + nested(500, "{},") + "{}]"));
    // What closes nothing makes no room for more.
    CHECK(condense::parse_json(nested(200, "]") + nested(129, "[")).error ==
          "condense: parse_json: byte 329, line 1: nested deeper than 128");
}

TEST_CASE("json_parse: CBOR gives back what it was made of", "[adapt][json]") {
    auto const value =
        ordered_json::parse(R"({"z":[1,-2,2.5,null,true,"text"],"a":{"b":{},"c":[]},"n":18446744073709551615})");
    std::string held;
    ordered_json::to_cbor(value, held);
    auto const read = parse_cbor<ordered_json>(held);
    REQUIRE(read);
    CHECK(read.error.empty());
    CHECK(read.value.dump() == value.dump());
    CHECK(parse_cbor<ordered_json>("\xF6"));
    for (std::size_t size = 0; size < held.size(); ++size) {
        auto const cut = parse_cbor<ordered_json>(std::string_view{held}.substr(0, size));
        CHECK_FALSE(cut);
        CHECK(cut.value.is_null());
        CHECK(cut.error == "condense: parse_cbor: not CBOR as it is written here, or nested too deep");
    }
    CHECK_FALSE(parse_cbor<ordered_json>(held + "x"));
}

TEST_CASE("json_parse: CBOR that is plain may still be no JSON", "[adapt][json]") {
    for (auto const odd : {"\xA1\x01\x01"sv, "\xA1\xA0\x01"sv, "\xF8\x20"sv, "\xF7"sv}) {
        CHECK(is_plain_cbor(odd));
        CHECK_FALSE(parse_cbor<ordered_json>(odd));
    }
}

TEST_CASE("json_parse: CBOR is read to 128 levels, and no bomb is followed", "[adapt][json]") {
    CHECK(parse_cbor<ordered_json>(nested(128, "\x81", "\x01")));
    CHECK(parse_cbor<ordered_json>(nested(128, "\xA1\x61\x61", "\x01")));
    for (std::size_t const depth : {std::size_t{129}, std::size_t{10'000}, std::size_t{1'000'000}})
        for (auto const& deep : {nested(depth, "\x81", "\x01"), nested(depth, "\xA1\x61\x61", "\x01"),
                                 nested(depth, "\x9F", "\x01", "\xFF"), nested(depth, "\xC0", "\x61\x61"),
                                 nested(depth, "\x7F"), nested(depth, "\x5F")})  // strings in pieces
            CHECK_FALSE(parse_cbor<ordered_json>(deep));
}
