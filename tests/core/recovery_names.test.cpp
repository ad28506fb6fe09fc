// SPDX-License-Identifier: BSL-1.0
#include <condense/core/recovery_names.hpp>

#include <initializer_list>
#include <string>

#include "support/catch.hpp"

TEST_CASE("recovery tools: are known by name, also behind a client's prefix") {
    for (auto const name : condense::recovery_tool_names) {
        CHECK((condense::is_recovery_tool(name) && condense::is_recovery_tool("mcp__recall__" + std::string{name})));
        CHECK(condense::is_recovery_tool("recall." + std::string{name}));
        CHECK_FALSE(condense::is_recovery_tool(std::string{name} + "s"));
        CHECK_FALSE(condense::is_recovery_tool("x" + std::string{name}));
    }
    for (std::string_view const other : std::initializer_list<std::string_view>{"", "read", "read_file", "artifact"})
        CHECK_FALSE(condense::is_recovery_tool(other));
}
