// SPDX-License-Identifier: BSL-1.0
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/detail/json_members.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/json_strings.hpp>
#include <condense/detail/text_type.hpp>

#include "core/constant.hpp"
#include "support/catch.hpp"

namespace {

namespace json = condense::detail::json;
using condense::detail::type_of_text;

/// "name=value;" for each member, "-" where the text is no object.
std::string members(std::string_view text) {
    std::string out;
    bool const object = json::each_member(text, [&](std::string_view name, std::string_view value) {
        out.append(name).append("=").append(value).append(";");
    });
    return object ? out : out + "-";
}

TEST_CASE("json_members: each member as it is written") {
    CHECK((members("{}") == "" && members(" { \n} ") == "" && members(R"({"a":1})") == "a=1;"));
    CHECK(members(" {\n \"a\" : -1.5e3 ,\t\"b\":null , \"c\" : \"x\" }\n") == "a=-1.5e3;b=null;c=\"x\";");
    CHECK(members(R"({"a":{"a":[{"b":"}]"}]},"b":[[],"[,{"],"c":true})") ==
          R"(a={"a":[{"b":"}]"}]};b=[[],"[,{"];c=true;)");
    CHECK(members(R"({"a\"b":"\\","":"\"}"})") == R"(a\"b="\\";="\"}";)");
    CHECK(members(R"({"a":1,"a":2})") == "a=1;a=2;");
}

TEST_CASE("json_members: a text that is no object has none") {
    for (auto const* const text : {"", " ", "[]", "[1]", "\"a\"", "1", "null", "{", "{\"a\"}", "{\"a\":1,}",
                                   "{\"a\":1}}", "{\"a\":\"\xFF\"}", "{'a':1}"}) {
        CAPTURE(text);
        CHECK(members(text) == "-");
    }
    CHECK((members(std::string(1'000'000, '{')) == "-" && members("{\"a\":" + std::string(1'000'000, '[')) == "-"));
    auto const wide = "{\"a\":[" + std::string(1'000'000, ' ') + "]}";
    CHECK(members(wide).size() == wide.size() - 3);
}

TEST_CASE("json_members: strings say what they mean") {
    for (auto const& [quoted, said] : {std::pair<std::string_view, std::string_view>{R"("")", ""},
                                       {R"("a/b.c")", "a/b.c"},
                                       {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
                                       {R"("\u0041\u00e9\u20AC")", "A\xC3\xA9\xE2\x82\xAC"},
                                       {R"("\u0000")", {"\0", 1}},
                                       // Pairs of surrogates, and halves of them.
                                       {R"("\ud83d\ude00!")", "\xF0\x9F\x98\x80!"},
                                       {R"("\ud83d")", "\xEF\xBF\xBD"},
                                       {R"("\ude00x")", "\xEF\xBF\xBDx"},
                                       {R"("\ud83d\n\ud83d\u0041")", "\xEF\xBF\xBD\n\xEF\xBF\xBD\x41"}}) {
        CAPTURE(quoted);
        CHECK(json::string_value(quoted) == said);
    }
}

TEST_CASE("json_quote: text comes back, and other escapes are refused") {
    for (auto const& [text, escaped] : {std::pair<std::string_view, std::string_view>{"", ""},
                                        {"plain / text", "plain / text"},
                                        {"\"\\", "\\\"\\\\"},
                                        {"\n\r\t\b", "\\n\\r\\t\\u0008"},
                                        {{"\0\x1F\x7F", 3}, "\\u0000\\u001f\\u007f"},
                                        {"\xE2\x82\xAC\xF0\x9F\x98\x80", "\xE2\x82\xAC\xF0\x9F\x98\x80"}}) {
        std::string out;
        json::append_escaped(out, text);
        CHECK(out == escaped);
        out.clear();
        CHECK((json::append_unescaped(out, escaped) && out == text));
    }
    for (std::string_view const escaped :
         {"\"", "a\"b", "\\", "\\x", "\\/", "\\b", "\\u", "\\u00", "\\u000", "\\u00g0", "\\u000g", "\\u0080", "\\u0100",
          "\\u1000", "\\U0000", "\\u00A0", "\\u000A"}) {
        CAPTURE(escaped);
        std::string out;
        CHECK_FALSE(json::append_unescaped(out, escaped));
    }
}

TEST_CASE("json_quote: a parser reads it") {
    std::string text;
    for (int byte = 0; byte < 128; ++byte) text.push_back(static_cast<char>(byte));
    text.append("\xC2\x85\xE2\x80\xA8\xED\x9F\xBF");
    std::string escaped;
    json::append_escaped(escaped, text);
    CHECK(nlohmann::json::parse('"' + escaped + '"') == text);
    std::string back;
    CHECK((json::append_unescaped(back, escaped) && back == text));
    for (char const byte : escaped) CHECK((static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7F));
}

TEST_CASE("json_strings: the strings that are values, in place") {
    std::string_view const text = R"({ "a": "x", "b" :["y", {"c":"z"}], "d": 1, "e": "" })";
    std::string found;
    json::each_string(text, [&](json::spelt_string const& one) {
        found.append(one.key).append("=").append(one.text).append("@").append(std::to_string(one.depth)).append(" ");
        CHECK((text.substr(one.begin, one.text.size()) == one.text && text[one.begin - 1] == '"'));
    });
    CHECK(found == "a=x@1 =y@2 c=z@3 e=@1 ");

    // All that is between stays as it was.
    auto const shorter = [](json::spelt_string const& one) {
        return one.text.size() > 3 ? std::optional<std::string>{one.text.substr(0, 1)} : std::nullopt;
    };
    CHECK(json::with_strings(R"({"a":  "long one", "a": 1e0, "b":["s", "long"]})", shorter) ==
          R"({"a":  "l", "a": 1e0, "b":["s", "l"]})");
    CHECK((!json::with_strings(R"({"a":"s"})", shorter) && !json::with_strings(R"({"a":"long one")", shorter)));
}

TEST_CASE("json_strings: a surrogate pair is one character, half of one is a character too") {
    constexpr std::string_view text = R"(a\n\ud83d\ude00\ud83d\u00e9)";
    CHECK(json::count_spelt(text) == 5);
    CHECK((json::prefix_spelt(text, 2) == 3 && json::prefix_spelt(text, 3) == 15));
    CHECK((json::prefix_spelt(text, 4) == 21 && json::prefix_spelt(text, 9) == text.size()));
}

TEST_CASE("text_type: a document alone is JSON, beside other lines the text is mixed") {
    CHECK_CONSTANT(type_of_text(R"({"a": [1, 2]})") == "json" && type_of_text("3 rows\n[1, 2]\n") == "mixed");
    for (auto const& [text, type] : {std::pair<std::string_view, std::string_view>{"", "text"},
                                     {" \n", "text"},
                                     {"12", "text"},
                                     {"{\n  \"a\": 1\n}\n", "json"},
                                     {"{\"a\":1}\r\n\r\n{\"a\":2}\r\n", "json"},
                                     {"HTTP 200\n{\n  \"a\": 1\n}\ndone", "mixed"},
                                     {"[12:30:45] begun\n[12:30:46] done", "text"},
                                     {"[1] is the first, [2] the second", "text"},
                                     {"{\"a\": [1,\n2,", "text"},
                                     {"{\n\"a\": oops\n}\n{\"b\": 1}", "mixed"}}) {
        CAPTURE(text);
        CHECK(type_of_text(text) == type);
    }
    // A text that never closes what it opens is read once.
    std::string open;
    for (int line = 0; line < 200'000; ++line) open += "[\n";
    CHECK(type_of_text(open) == "text");
}

}  // namespace
