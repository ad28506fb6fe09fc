// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_place.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::read;
using nlohmann::json;
using nlohmann::ordered_json;
namespace detail = condense::detail;

static_assert(std::same_as<decltype(detail::member_of(std::declval<json&>(), "a")), json*>);
static_assert(std::same_as<decltype(detail::member_of(std::declval<json const&>(), "a")), json const*>);
static_assert(std::same_as<decltype(detail::object_member(std::declval<json const&>(), "a")), json const*>);
static_assert(std::same_as<decltype(std::declval<detail::json_place<json const>>().find()), json const*>);

/// Values that have no members.
constexpr auto no_objects = {"null", "true", "7", "1.5", R"("a")", R"(["a"])", "[]"};

}  // namespace

TEMPLATE_TEST_CASE("json_place: a dump is one line of valid UTF-8", "[adapt][json]", json, ordered_json) {
    CHECK(detail::dump_of(read<TestType>("{ \"a\": [1,\n 2.0] }")) == R"({"a":[1,2.0]})");
    CHECK(detail::dump_of(TestType("two\nlines")) == R"("two\nlines")");
    CHECK(detail::dump_of(TestType("\xC3\xA9")) == "\"\xC3\xA9\"");
    CHECK(detail::dump_of(TestType("a\xFFz")) == "\"a\xEF\xBF\xBDz\"");
}

TEMPLATE_TEST_CASE("json_place: a dump is the library's, and its text only where it holds all", "[adapt][json]", json,
                   ordered_json) {
    auto const text_of = [](TestType const& value) {
        std::string text;
        return detail::append_text(text, value) ? text : std::string{"none"};
    };
    std::string ascii;
    for (char byte = 0; byte >= 0 && byte < 0x7F; ++byte) ascii += byte;
    auto const pi = 3.14159265358979;
    for (auto const& value :
         {TestType(ascii + "\x7F\xC3\xA9\xF0\x9F\x98\x80"), TestType(""), TestType(), TestType(true), TestType(false),
          TestType(0), TestType(-7), TestType(std::numeric_limits<std::int64_t>::min()),
          TestType(std::numeric_limits<std::uint64_t>::max()), TestType(pi), TestType(1e300), TestType(-0.0),
          TestType::array(), TestType::object(), TestType({{ascii, {1, "two", {{"three", nullptr}}}}, {"", false}})}) {
        CHECK(text_of(value) == value.dump());
        CHECK(detail::dump_of(value) == value.dump());
        CHECK(read<TestType>(text_of(value)) == value);
    }
    auto deep = TestType(1);
    for (int level = 0; level < 128; ++level) deep = TestType::array({std::move(deep)});
    CHECK(text_of(deep) == deep.dump());
    deep = TestType::array({std::move(deep)});
    auto const replaced = TestType::error_handler_t::replace;
    for (auto const& value : {deep, TestType("\xFF"), TestType({{"\xC3", 1}}), TestType({1, {2, "\xED\xA0\x80"}}),
                              TestType(std::numeric_limits<double>::infinity()),
                              TestType(std::numeric_limits<double>::quiet_NaN()), TestType::binary({1, 2})}) {
        CHECK(text_of(value) == "none");
        CHECK(detail::dump_of(value) == value.dump(-1, ' ', false, replaced));
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

TEMPLATE_TEST_CASE("json_place: a member is found in objects only", "[adapt][json]", json, ordered_json) {
    auto value = read<TestType>(R"({"a":null,"b":{"a":1}})");
    CHECK(detail::member_of(value, "a") == &value.at("a"));
    CHECK(detail::member_of(std::as_const(value), "b") == &value.at("b"));
    CHECK(detail::member_of(value, "c") == nullptr);
    CHECK(detail::member_of(value, "") == nullptr);
    for (auto const* const text : no_objects) {
        CAPTURE(text);
        auto other = read<TestType>(text);
        CHECK(detail::member_of(other, "a") == nullptr);
        CHECK(detail::member_of(std::as_const(other), "a") == nullptr);
    }
}

TEMPLATE_TEST_CASE("json_place: a member of the wrong type is none", "[adapt][json]", json, ordered_json) {
    auto value = read<TestType>(R"({"text":"t","empty":"","object":{},"array":["t"],"number":7,"null":null})");
    for (auto const* const key : {"text", "empty", "object", "array", "number", "null", "missing"}) {
        CAPTURE(key);
        bool const is_text = key == std::string_view{"text"} || key == std::string_view{"empty"};
        bool const is_object = key == std::string_view{"object"};
        auto* const member = detail::member_of(value, key);
        CHECK((detail::string_of(member) != nullptr) == is_text);
        CHECK(detail::object_member(value, key) == (is_object ? member : nullptr));
        CHECK(detail::text_member(value, key) == (key == std::string_view{"text"} ? "t" : ""));
    }
    CHECK(detail::string_of(static_cast<TestType const*>(nullptr)) == nullptr);
}

TEMPLATE_TEST_CASE("json_place: a string is shown where it is", "[adapt][json]", json, ordered_json) {
    auto const value = read<TestType>(R"({"a":"a text that is too long to be held within the string itself"})");
    auto const& text = value.at("a").template get_ref<std::string const&>();
    CHECK(detail::string_of(&value.at("a")) == &text);
    CHECK(detail::text_member(value, "a").data() == text.data());
}

TEMPLATE_TEST_CASE("json_place: a place need not exist", "[adapt][json]", json, ordered_json) {
    using place = detail::json_place<TestType>;
    auto object = read<TestType>(R"({"a":1})");
    auto array = read<TestType>("[1,2]");
    CHECK(place{}.find() == nullptr);
    CHECK(place{&object, "a"}.find() == &object.at("a"));
    CHECK(place{&object, "b"}.find() == nullptr);
    CHECK(place{&array, "a"}.find() == nullptr);
    CHECK(place{&array, nullptr, 0}.find() == &array[0]);
    CHECK(place{&array, nullptr, 1}.find() == &array[1]);
    CHECK(place{&array, nullptr, 2}.find() == nullptr);
    CHECK(array.size() == 2);
    CHECK(object.size() == 1);
    for (auto const& nowhere : {place{}, place{&object, "b"}, place{&array, nullptr, 2}}) nowhere.erase();
    CHECK(array.size() == 2);
    CHECK(object.size() == 1);
}

TEMPLATE_TEST_CASE("json_place: what is put takes the place, or makes it", "[adapt][json]", json, ordered_json) {
    using place = detail::json_place<TestType>;
    auto object = read<TestType>(R"({"z":1,"b":[2],"a":3})");
    place{&object, "b"}.write("new");
    CHECK(object.dump() == read<TestType>(R"({"z":1,"b":"new","a":3})").dump());
    place{&object, "c"}.write(read<TestType>("{}"));
    CHECK(object.dump() == read<TestType>(R"({"z":1,"b":"new","a":3,"c":{}})").dump());

    auto array = read<TestType>(R"([{"x":1},"two"])");
    place{&array, nullptr, 0}.write("one");
    CHECK(array == read<TestType>(R"(["one","two"])"));
    SECTION("past the end") {
        place const end{&array, nullptr, 2};
        end.write("three");
        CHECK(array == read<TestType>(R"(["one","two","three"])"));
        CHECK(end.find() == &array[2]);
    }
}

TEMPLATE_TEST_CASE("json_place: a block of text, with its type first and without", "[adapt][json]", json,
                   ordered_json) {
    auto const block = detail::text_block<TestType>("three", true);
    CHECK(block == read<TestType>(R"({"type":"text","text":"three"})"));
    CHECK(block.begin().key() == (std::same_as<TestType, ordered_json> ? "type" : "text"));
    CHECK(detail::text_block<TestType>("three", false) == read<TestType>(R"({"text":"three"})"));
}

TEMPLATE_TEST_CASE("json_place: what is erased is gone, and content is empty", "[adapt][json]", json, ordered_json) {
    using place = detail::json_place<TestType>;
    for (auto const* const content : {R"("text")", R"([{"type":"image"}])", R"({"a":1})", "null", R"("")"}) {
        CAPTURE(content);
        auto message = TestType::object();
        message["role"] = "user";
        message["content"] = read<TestType>(content);
        message["id"] = 7;
        place{&message, "content"}.erase();
        CHECK(message.dump() == read<TestType>(R"({"role":"user","content":"","id":7})").dump());
    }
    auto bare = read<TestType>(R"({"role":"user"})");
    place{&bare, "content"}.erase();
    CHECK(bare == read<TestType>(R"({"role":"user"})"));

    auto object = read<TestType>(R"({"z":1,"contents":2,"a":3})");
    place{&object, "contents"}.erase();
    CHECK(object.dump() == read<TestType>(R"({"z":1,"a":3})").dump());

    auto array = read<TestType>(R"(["one",{"content":"two"},"three"])");
    place{&array, nullptr, 1}.erase();
    CHECK(array == read<TestType>(R"(["one","three"])"));
    place{&array, nullptr, 1}.erase();
    place{&array, nullptr, 0}.erase();
    CHECK(array == read<TestType>("[]"));
}
