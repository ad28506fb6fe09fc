// SPDX-License-Identifier: BSL-1.0
#include <condense/core/file_of_call.hpp>

#include "support/catch.hpp"

namespace {

using condense::file_of_call, condense::part_kind;

std::string key(std::string_view arguments) {
    return file_of_call{}({.kind = part_kind::tool_call, .text = arguments}).value_or("-");
}

}  // namespace

TEST_CASE("file_of_call: the first member that names a file, if the arguments are JSON") {
    CHECK((key(R"({"path":"src/a.cpp"})") == "src/a.cpp" && key(R"({"file":"b","path":"a"})") == "a"));
    CHECK(key(R"({"path":7,"uri":"file:\/\/x\u0041"})") == "file://xA");
    CHECK(key(R"({"path":""})") == "");
    for (auto const* const none :
         {"", "{", "[]", "{\"paths\":[\"a\"]}", "{\"path\":null}", "path", "{\"path\":\"a\"} x"})
        CHECK(key(none) == "-");
}
