// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_place.hpp>

#include <limits>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::read;
using json = nlohmann::ordered_json;
namespace detail = condense::detail;
using place = detail::json_place<json>;

static_assert(std::same_as<decltype(detail::member_of(std::declval<json&>(), "a")), json*>);
static_assert(std::same_as<decltype(detail::member_of(std::declval<json const&>(), "a")), json const*>);
static_assert(std::same_as<decltype(detail::object_member(std::declval<json const&>(), "a")), json const*>);
static_assert(std::same_as<decltype(std::declval<detail::json_place<json const>>().find()), json const*>);

/// The text of a value, where a text can hold it.
std::string text_of(json const& value) {
    std::string text;
    return detail::append_text(text, value) ? text : std::string{"none"};
}

}  // namespace

TEST_CASE("json_place: a dump is one line, the library's, and its text only where it holds all", "[adapt][json]") {
    CHECK(detail::dump_of(read("{ \"a\": [1,\n 2.0] }")) == R"({"a":[1,2.0]})");
    CHECK(detail::dump_of(json("two\nlines")) == R"("two\nlines")");
    CHECK(detail::dump_of(json("a\xFFz")) == "\"a\xEF\xBF\xBDz\"");
    std::string ascii;
    for (char byte = 0; byte >= 0 && byte < 0x7F; ++byte) ascii += byte;
    for (auto const& value :
         {json(ascii + "\x7F\xC3\xA9\xF0\x9F\x98\x80"), json(""), json(), json(true), json(false), json(0), json(-7),
          json(std::numeric_limits<std::int64_t>::min()), json(std::numeric_limits<std::uint64_t>::max()),
          json(3.14159265358979), json(1e300), json(-0.0), json::array(), json::object(),
          json({{ascii, {1, "two", {{"three", nullptr}}}}, {"", false}})}) {
        CHECK(text_of(value) == value.dump());
        CHECK(detail::dump_of(value) == value.dump());
        CHECK(read(text_of(value)) == value);
    }
    json deep = 1;
    for (int level = 0; level < 128; ++level) deep = json::array({std::move(deep)});
    CHECK(text_of(deep) == deep.dump());
    deep = json::array({std::move(deep)});
    for (auto const& value : {deep, json("\xFF"), json({{"\xC3", 1}}), json({1, {2, "\xED\xA0\x80"}}),
                              json(std::numeric_limits<double>::infinity()),
                              json(std::numeric_limits<double>::quiet_NaN()), json::binary({1, 2})}) {
        CHECK(text_of(value) == "none");
        CHECK(detail::dump_of(value) == adapt_tests::dump(value));
    }
}

TEST_CASE("json_place: a string is spelled as the library does, wherever its bytes stand", "[adapt][json]") {
    for (std::string_view const piece : {"\n", "\"", "\x01", "\xC3\xA9", "\xF0\x9F\x98\x80", "\xFF", "\xF0\x9F\x98"})
        for (std::size_t before = 0; before < 300; ++before) {
            // In plain text, and behind a run of the widest escapes with seven bytes between.
            for (auto text : {std::string(before, 'x') + std::string{piece} + "yz",
                              std::string(before, '\x02') + "1234567" + std::string{piece}}) {
                std::string out{"["};
                bool const valid = condense::utf8::valid(text);
                REQUIRE(detail::append_string(out, text) == valid);
                if (valid) REQUIRE(out == "[" + json(text).dump());
            }
        }
}

TEST_CASE("json_place: a place need not exist", "[adapt][json]") {
    auto object = read(R"({"a":1})");
    auto array = read("[1,2]");
    CHECK(place{}.find() == nullptr);
    CHECK(place{&object, "a"}.find() == &object.at("a"));
    CHECK(place{&object, "b"}.find() == nullptr);
    CHECK(place{&array, "a"}.find() == nullptr);
    CHECK(place{&array, nullptr, 0}.find() == &array[0]);
    CHECK(place{&array, nullptr, 1}.find() == &array[1]);
    CHECK(place{&array, nullptr, 2}.find() == nullptr);
    for (auto const& nowhere : {place{}, place{&object, "b"}, place{&array, nullptr, 2}}) nowhere.erase();
    CHECK(array.size() == 2);
    CHECK(object.size() == 1);
}

TEST_CASE("json_place: what is erased is gone, and content is empty") {
    for (auto const* const content : {R"("text")", R"([{"type":"image"}])", R"({"a":1})", "null", R"("")"}) {
        CAPTURE(content);
        json message{{"role", "user"}, {"content", read(content)}, {"id", 7}};
        place{&message, "content"}.erase();
        CHECK(message.dump() == R"({"role":"user","content":"","id":7})");
    }
    auto array = read(R"(["one",{"content":"two"},"three"])");
    place{&array, nullptr, 1}.erase();
    CHECK(array.dump() == R"(["one","three"])");
}
