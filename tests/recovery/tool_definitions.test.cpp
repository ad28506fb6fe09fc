// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/tool_definitions.hpp>

#include <condense/detail/json_scan.hpp>

#include "support/catch.hpp"

using condense::tool_format;
using condense::detail::recovery_definitions, condense::detail::write_definitions;

TEST_CASE("tool definitions: are JSON in every form, with a schema for each tool") {
    std::vector<condense::tool_definition> const all{recovery_definitions.begin(), recovery_definitions.end()};
    for (auto const& each : all) {
        CHECK(condense::detail::json::valid(each.schema));
        CHECK(each.description.size() > 60);
    }
    for (auto const format : {tool_format::openai, tool_format::anthropic, tool_format::mcp}) {
        auto const text = write_definitions(all, format);
        CHECK(condense::detail::json::valid(text));
        for (auto const name : condense::recovery_tool_names)
            CHECK(text.find("\"name\":\"" + std::string{name} + "\"") != std::string::npos);
    }
    CHECK(write_definitions({}, tool_format::openai) == "[]");
    CHECK(write_definitions({}, tool_format::mcp) == R"({"tools":[]})");
    CHECK(write_definitions({{"a", "b \"c\"", "{}"}}, tool_format::openai) ==
          R"([{"type":"function","function":{"name":"a","description":"b \"c\"","parameters":{}}}])");
    CHECK(write_definitions({{"a", "b", "{}"}, {"c", "d", "{}"}}, tool_format::anthropic) ==
          R"([{"name":"a","description":"b","input_schema":{}},{"name":"c","description":"d","input_schema":{}}])");
}
