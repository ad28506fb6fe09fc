// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/text_type.hpp>

#include <string>

#include "support/catch.hpp"

using condense::detail::type_of_text;

static_assert(type_of_text(R"({"a": [1, 2]})") == "json");
static_assert(type_of_text("3 rows\n[1, 2]\n") == "mixed");

TEST_CASE("text_type: a document alone is JSON, beside other lines the text is mixed") {
    CHECK(type_of_text("") == "text");
    CHECK(type_of_text(" \n") == "text");
    CHECK(type_of_text("12") == "text");
    CHECK(type_of_text("{\n  \"a\": 1\n}\n") == "json");
    CHECK(type_of_text("{\"a\":1}\r\n\r\n{\"a\":2}\r\n") == "json");
    CHECK(type_of_text("HTTP 200\n{\n  \"a\": 1\n}\ndone") == "mixed");
    CHECK(type_of_text("[12:30:45] begun\n[12:30:46] done") == "text");
    CHECK(type_of_text("[1] is the first, [2] the second") == "text");
    CHECK(type_of_text("{\"a\": [1,\n2,") == "text");
    CHECK(type_of_text("{\n\"a\": oops\n}\n{\"b\": 1}") == "mixed");
}

TEST_CASE("text_type: a text that never closes what it opens is read once") {
    std::string text;
    for (int line = 0; line < 200'000; ++line) text += "[\n";
    CHECK(type_of_text(text) == "text");
}
