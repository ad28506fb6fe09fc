// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/record_line.hpp>

#include "support/catch.hpp"

using condense::chars, condense::detail::end_of, condense::detail::question_of, condense::detail::record_line;

TEST_CASE("record_line: a line closes no fence, begins no other, and keeps words with joiners") {
    CHECK(record_line("  one\n two\t", chars{100}) == "one  two ");
    CHECK(record_line("1 << 3 is 8, <b> too, </summary> not", chars{100}) == "1 << 3 is 8, <b> too, (/summary> not");
    CHECK(record_line("\xD9\x85\xDB\x8C\xE2\x80\x8C tabs", chars{100}) == "\xD9\x85\xDB\x8C tabs");
    CHECK(record_line("\x1B[2J", chars{100}).find('\x1B') == std::string::npos);
    CHECK(record_line(" \n ", chars{100}).empty());
}

TEST_CASE("record_line: the question is the last sentence of a text") {
    CHECK(question_of("It is open.\nShall I cancel **A7**?\n") == "Shall I cancel **A7**?");
    CHECK(question_of("Why? I know.").empty());
    CHECK(question_of("").empty());
}

TEST_CASE("record_line: a result tells how its call ended, and whether it failed") {
    auto const failed = [](std::string_view text) { return end_of({.text = text}).failed; };
    for (auto const* const text :
         {"Error: no seats", "\n fatal: x", R"({"error": "no such order"})", R"({"error":{"code":4}})",
          "Exit code: 1\nx", "Exit code 2\nx", "<returncode>1</returncode>\n<output>\nx\n</output>",
          "x\nexit code 127\n", "No replacement was performed", R"({"output":"","metadata":{"exit_code": 2}})"})
        CHECK(failed(text));
    for (auto const* const text : {"", "done", "<returncode>1</returncode>\n<output>\n</output>", R"({"error": ""})",
                                   R"({"error": null})", "Exit code: 0\nx", "exit code 0", "It ends with exit code 2.",
                                   "a.md:3: exit code 1", R"({"exit_code":0})", "errors: none"})
        CHECK_FALSE(failed(text));
    CHECK(end_of({.text = "Error: first\nsecond"}).line == "Error: first");
    CHECK(end_of({.text = "one\n42\n\n</output>"}).line == "42");
    CHECK(end_of({.text = " \n"}).line.empty());
}
