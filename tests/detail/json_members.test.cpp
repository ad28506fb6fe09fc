// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/json_members.hpp>

#include <string>
#include <string_view>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

namespace json = condense::detail::json;

/// "name=value;" for each member, "-" where the text is no object.
std::string members(std::string_view text) {
    std::string out;
    bool const object = json::each_member(text, [&](std::string_view name, std::string_view value) {
        out.append(name).append("=").append(value).append(";");
    });
    return object ? out : out + "-";
}

constexpr bool reads(std::string_view quoted, std::string_view said) { return json::string_value(quoted) == said; }

constexpr bool strings_say_what_they_mean() {
    return reads(R"("")", "") && reads(R"("a/b.c")", "a/b.c") && reads(R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t") &&
           reads(R"("\u0041\u00e9\u20AC")", "A\xC3\xA9\xE2\x82\xAC") &&
           reads(R"("\ud83d\ude00!")", "\xF0\x9F\x98\x80!") && reads(R"("\ud83d")", "\xEF\xBF\xBD") &&
           reads(R"("\ude00x")", "\xEF\xBF\xBDx") &&
           reads(R"("\ud83d\n\ud83d\u0041")",
                 "\xEF\xBF\xBD\n\xEF\xBF\xBD"
                 "A");
}
static_assert(toy::run_time_only || strings_say_what_they_mean());

}  // namespace

TEST_CASE("json_members: each member as it is written") {
    CHECK(members("{}") == "");
    CHECK(members(" { \n} ") == "");
    CHECK(members(R"({"a":1})") == "a=1;");
    CHECK(members(" {\n \"a\" : -1.5e3 ,\t\"b\":null , \"c\" : \"x\" }\n") == "a=-1.5e3;b=null;c=\"x\";");
    CHECK(members(R"({"a":{"a":[{"b":"}]"}]},"b":[[],"[,{"],"c":true})") ==
          R"(a={"a":[{"b":"}]"}]};b=[[],"[,{"];c=true;)");
    CHECK(members(R"({"a\"b":"\\","":"\"}"})") == R"(a\"b="\\";="\"}";)");
    CHECK(members(R"({"a":1,"a":2})") == "a=1;a=2;");
}

TEST_CASE("json_members: what is no object has none") {
    for (auto const* const text : {"", " ", "[]", "[1]", "\"a\"", "1", "null", "{", "{\"a\"}", "{\"a\":1,}",
                                   "{\"a\":1}}", "{\"a\":\"\xFF\"}", "{'a':1}"}) {
        CAPTURE(text);
        CHECK(members(text) == "-");
    }
    CHECK(members(std::string(1'000'000, '{')) == "-");
    CHECK(members("{\"a\":" + std::string(1'000'000, '[')) == "-");
    auto const wide = "{\"a\":[" + std::string(1'000'000, ' ') + "]}";
    CHECK(members(wide).size() == wide.size() - 3);
}

TEST_CASE("json_members: what strings say") {
    CHECK(strings_say_what_they_mean());
    CHECK(json::string_value(R"("\u0000")") == std::string(1, '\0'));
}
