// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_text.hpp>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace {

using condense::part_kind, condense::part_view;
using condense::detail::json_text_part, condense::detail::write_json;
using json = nlohmann::ordered_json;

std::string shown(json const& value) {
    json_text_part const held{{}, value};
    part_view const part = held;
    return std::string{part.text};
}

json written(json value, std::string text, bool any_text) {
    write_json(value, std::move(text), any_text);
    return value;
}

}  // namespace

TEST_CASE("json_text: a string is shown where it is, all else as its dump") {
    json const text = "as it \"is\"";
    json_text_part const held{{.kind = part_kind::tool_call, .tool = "t", .call = "c"}, text};
    part_view const part = held;
    CHECK(static_cast<void const*>(part.text.data()) ==
          static_cast<void const*>(text.get_ref<std::string const&>().data()));
    CHECK((part.kind == part_kind::tool_call && part.tool == "t" && part.call == "c"));
    CHECK(shown(json{{"b", 1}, {"a", {1, nullptr}}}) == "{\"b\":1,\"a\":[1,null]}");
    CHECK(shown(json{}) == "null");
    CHECK(shown(json::array({"\xFF"})) == "[\"\xEF\xBF\xBD\"]");
    auto const copy = held;
    part_view const of_copy = copy;
    CHECK(of_copy.text == "as it \"is\"");
}

TEST_CASE("json_text: a text is written as what the value was, as JSON, or not") {
    CHECK(written("old", "[1]", false) == json("[1]"));
    CHECK(written(json{{"a", 1}}, "[1]", false) == json::array({1}));
    CHECK(written(json{{"a", 1}}, "no JSON", false) == json{{"a", 1}});
    CHECK(written(json{{"a", 1}}, "no JSON", true) == json("no JSON"));
    CHECK(written(json{{"a", 1}}, "", false) == json{{"a", 1}});
    std::string const deep = std::string(100'000, '[') + std::string(100'000, ']');
    CHECK(written(json{{"a", 1}}, deep, false) == json{{"a", 1}});
    CHECK(written(json{{"a", 1}}, deep, true) == json(deep));
}
