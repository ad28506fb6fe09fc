// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/lines.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using notation::letters;

/// The label of the item that ends with the first occurrence of the word.
std::string label_in(std::string_view text, std::string_view item) {
    condense::detail::line_cursor cursor{text};
    std::string label;
    bool reached = false;
    condense::detail::each_word(text, [&](condense::detail::word_print const& word) {
        if (reached) return;
        cursor.next(word.text);
        reached = word.text == item;
        if (reached) label = cursor.label_of(word.text);
    });
    CHECK(reached);
    return label;
}

TEST_CASE("a label is the key, or else the nearest word of letters before it on the line") {
    CHECK(label_in("order_id: 123, 456", "456") == "order_id");
    CHECK(label_in("the order 12 of W34 and", "W34") == "of");
    CHECK(label_in(R"({"order_id": "123", "ids": ["a1 1", "77"], "x": 8})", "77") == "ids");
    CHECK(label_in(R"({"note": "call the man 555"})", "555") == "note");
    CHECK(label_in(R"({\"note\": \"call 555\"})", "555") == "note");
    CHECK(label_in("he said \"now\" to 555", "555") == "to");
    CHECK(label_in("12 34", "34").empty());
    CHECK(label_in("word\n555", "555").empty());
    CHECK(label_in("\"key\": 1\n555", "555").empty());
    CHECK(label_in("far " + letters(40, '.') + "555", "555").empty());
    CHECK(label_in("far" + letters(39, '.') + "555", "555") == "far");
}

std::uint64_t print_in(std::string_view text, std::string_view item) {
    condense::detail::line_cursor cursor{text};
    std::uint64_t print = 0;
    condense::detail::each_word(text, [&](condense::detail::word_print const& word) {
        cursor.next(word.text);
        if (word.text == item) print = cursor.line_print();
    });
    return print;
}

TEST_CASE("lines are equal without the space around them, as far as 160 bytes") {
    auto const print = print_in("int a;", "a");
    CHECK(print != 0);
    CHECK(print_in("x\n\t  int a; \r\ny", "a") == print);
    CHECK(print_in("int a; // b", "a") != print);
    CHECK(print_in(letters(100, ' ') + "int a;", "a") == print);
    CHECK(print_in("a " + letters(158) + "y", "a") == print_in("a " + letters(158) + "z", "a"));
    CHECK(print_in("a " + letters(157) + "y", "a") != print_in("a " + letters(157) + "z", "a"));
}

}  // namespace
