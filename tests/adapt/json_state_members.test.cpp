// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_state_members.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace {

using tree = nlohmann::ordered_json;

template <class Value>
std::string written(Value value) {
    std::string out;
    condense::detail::state_writer writer{out};
    writer("a", value);
    return "{" + out + "}";
}
template <class Value>
bool reads(std::string_view text, Value& value) {
    auto document = tree::parse(text);
    condense::detail::state_reader reader{document};
    reader("a", value);
    return reader.bad_member().empty() && reader.complete();
}

}  // namespace

TEST_CASE("what is written of a member is read again") {
    condense::released_message const m{
        .index = 3,
        .messages = 9,
        .speaker = condense::role::tool,
        .frame = {7},
        .parts = {
            {.kind = condense::part_kind::tool_result, .size = ~std::uint64_t{0}, .call = "\xFF", .tool = "\"\n"}}};
    condense::released_message again;
    REQUIRE(reads(written(m), again));
    CHECK(again == m);
    CHECK(written(condense::view::step{.target = 4}) == R"({"a":[4,false,4,0,4294967295,0,0,0]})");
    CHECK(written(std::string("\xFF")) == R"({"a":{"base64":"/w=="}})");
    condense::reference name;
    REQUIRE(reads(R"({"a":"00112233445566778899aabb"})", name));
    CHECK(name.text() == "00112233445566778899aabb");
}

TEST_CASE("what is not of its type or its range is not read") {
    bool flag = false;
    std::uint32_t number = 0;
    std::string text;
    condense::role speaker = {};
    condense::reference name;
    condense::undo_point point;
    std::vector<std::uint64_t> numbers;
    CHECK_FALSE(reads(R"({"a":1})", flag));
    CHECK_FALSE(reads(R"({"a":4294967296})", number));
    CHECK_FALSE(reads(R"({"a":-1})", number));
    CHECK_FALSE(reads(R"({"a":1.0})", number));
    CHECK_FALSE(reads(R"({"a":1})", text));
    CHECK_FALSE(reads(R"({"a":{"base64":"?"}})", text));
    CHECK_FALSE(reads(R"({"a":{"base64":"","b":1}})", text));
    CHECK_FALSE(reads(R"({"a":5})", speaker));
    CHECK_FALSE(reads(R"({"a":"0"})", name));
    CHECK_FALSE(reads(R"({"a":"g0112233445566778899aabb"})", name));
    CHECK_FALSE(reads(R"({"a":[1]})", point));
    CHECK_FALSE(reads(R"({"a":[1,2,3]})", point));
    CHECK_FALSE(reads(R"({"a":{"steps":1,"messages":2}})", point));
    CHECK_FALSE(reads(R"({"a":[1,"2"]})", numbers));
    CHECK_FALSE(reads(R"({"b":1})", number));
    CHECK_FALSE(reads(R"({"a":1,"b":1})", number));
}
