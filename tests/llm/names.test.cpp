// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/names.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace {

using condense::item_kind, condense::part_kind, condense::part_view, condense::detail::is_name_label;
using condense::detail::is_plain, condense::detail::name_context;

/// "label: name" for each name of a part.
std::vector<std::string> names_of(part_view const& part) {
    std::vector<std::string> all;
    condense::detail::each_name(part, [&](item_kind, std::string_view name, name_context const& beside) {
        all.push_back(std::string{beside.label()} + ": " + std::string{name});
    });
    return all;
}
using list = std::vector<std::string>;

constexpr std::string_view label_in(std::string_view text, std::string_view name) {
    return name_context{text, {}, false, text.find(name)}.label();
}
constexpr std::string_view line_in(std::string_view text, std::string_view name) {
    return name_context{text, {}, false, text.find(name)}.line();
}
static_assert(label_in("order W123456", "W123456") == "order");
static_assert(line_in("one\n  two parse_json\nthree", "parse_json") == "two parse_json");

TEST_CASE("names: a label is the key, or the nearest word of letters before the name on its line") {
    CHECK(label_in("\"order_id\": \"W123456\", ", "W123456") == "order_id");
    CHECK(label_in("\"ids\": [1234, 5678]", "5678") == "ids");
    CHECK(label_in("{\\\"path\\\": \\\"a.cpp\\\"}", "a.cpp") == "path");
    CHECK(label_in("see (src/a.cpp)", "src/a.cpp") == "see");
    CHECK(label_in("the 3rd 4th W123456", "W123456") == "the");
    CHECK(label_in("word\nW123456", "W123456").empty());
    CHECK(label_in(std::string(50, '.') + "W123456", "W123456").empty());
    CHECK(label_in("far" + std::string(50, '.') + "W123456", "W123456").empty());
    CHECK(label_in(std::string(60, 'a') + " W123456", "W123456").empty());
    CHECK(name_context{"W123456", "order_id", true, 0}.label() == "order_id");
    CHECK(name_context{"W123456", "a key", true, 0}.label().empty());
}

TEST_CASE("names: a line is whole, or none") {
    CHECK(line_in("\t a.cpp:12 \r\nx", "a.cpp") == "a.cpp:12");
    CHECK(line_in("a.cpp " + std::string(154, 'x'), "a.cpp").size() == 160);
    CHECK(line_in("a.cpp " + std::string(155, 'x'), "a.cpp").empty());
    CHECK(line_in(std::string(156, 'x') + " a.cpp", "a.cpp").empty());
    CHECK(line_in(std::string(1'000'000, 'x') + " a.cpp", "a.cpp").empty());
    // The first line of a value stands behind its key, and is no line.
    CHECK(name_context{"a.cpp\nb.cpp", "path", true, 0}.line().empty());
    CHECK(name_context{"a.cpp\nb.cpp", "path", true, 6}.line() == "b.cpp");
}

TEST_CASE("names: of a longer line of prose the sentence stands for it") {
    std::string const before(200, 'x');
    auto const sentence_in = [](std::string_view text, std::string_view name) {
        return name_context{text, {}, false, text.find(name), name.size()}.line();
    };
    auto const text = before + ". We went to Banff in May. " + before;
    CHECK(sentence_in(text, "Banff") == "We went to Banff in May.");
    CHECK(sentence_in("Was it in Banff? " + before, "Banff") == "Was it in Banff?");
    CHECK(sentence_in("It was in Banff 3.5 km up! " + before, "Banff") == "It was in Banff 3.5 km up!");
    CHECK(sentence_in("It says \"Stop. Then xylo\" there.\r\n" + before, "Stop. Then xylo").ends_with(" there."));
    CHECK(sentence_in(before + " x. He saw Banff there.\r\n", "Banff") == "He saw Banff there.");
    CHECK(sentence_in("a short line with Banff", "Banff") == "a short line with Banff");
    CHECK(sentence_in(before + ". we went to Banff. " + before, "Banff").empty());
    CHECK(sentence_in(before + ". We went to Banff\n" + before, "Banff").empty());
    CHECK(sentence_in(before + " Banff " + before, "Banff").empty());
    CHECK(sentence_in("Banff. " + before, "Banff").empty());
    CHECK(line_in(text, "Banff").empty());  // of a log or of code
}

TEST_CASE("names: capitalised words within sentences, together, but not in headings or where nouns are written so") {
    auto const names_in = [](std::string_view text) {
        list all;
        condense::detail::each_prose_name(text, [&](std::string_view name) { all.push_back(std::string{name}); });
        return all;
    };
    CHECK(names_in("Last year we saw New Mexico, Ojo Caliente and the sea with Zo\xC3\xAB's aunt.") ==
          list{"New Mexico", "Ojo Caliente", "Zo\xC3\xAB"});
    CHECK(names_in("we drove to Los Angeles") == list{"Los Angeles"});
    CHECK(names_in("it was late\xE2\x80\xA6 Then we saw Anna\xEF\xBC\x9C and Bob") == list{"Anna", "Bob"});
    CHECK(names_in("we saw Anna\xE2\x80\x99s house") == list{"Anna"});
    CHECK(names_in("It is late. Maybe I should go. Yes, Kate and I are tired and go home now.") == list{"Kate"});
    CHECK(names_in("The Quick Brown Fox And The Lazy Dog").empty());
    CHECK(names_in("wir haben das Haus mit dem Garten und die Katze vom Nachbarn gesehen").empty());
    for (std::string_view const text : {"", " ", "A", " A", " Ab", "we met Io and Bo", "see the API and JSON"}) {
        CAPTURE(text);
        CHECK(names_in(text).empty());
    }
    CHECK(names_in("we saw a lot of it in " + std::string(1'000'000, 'A')).empty());
    CHECK(names_of({.kind = part_kind::text, .text = "we were all in Miami"}) == list{"in: Miami"});
    CHECK(names_of({.kind = part_kind::tool_result, .text = "we were all in Miami"}).empty());
}

TEST_CASE("names: arguments give their decoded values under their keys") {
    CHECK(names_of({.kind = part_kind::tool_call,
                    .text = R"({"file_path": "src/a.cpp", "text": "\tthis.ui = 1", "line": 1234, "old_text": {}})"}) ==
          list{"file_path: src/a.cpp", "file_path: src/a.cpp", "text: this.ui", "line: 1234"});
    CHECK(names_of({.kind = part_kind::tool_call, .text = "no JSON: parse_json"}) == list{"JSON: parse_json"});
    CHECK(names_of({.kind = part_kind::media, .text = "parse_json"}).empty());
    CHECK(names_of({.text = "call parse_json in src/a.cpp"}) == list{"call: parse_json", "in: src/a.cpp"});
}

TEST_CASE("names: a label is a word of letters") {
    for (std::string_view const label : {"", "path", "file_path", "_x"}) CHECK(is_name_label(label));
    for (std::string_view const label : {"_", "a1", "a b", "a:", "\xC3\xA4"}) CHECK_FALSE(is_name_label(label));
    CHECK(is_name_label(std::string(40, 'a')));
    CHECK_FALSE(is_name_label(std::string(41, 'a')));
}

TEST_CASE("names: text is plain that shows what it is") {
    for (std::string_view const text : {"", "a\tb", "\xC3\xA9t\xC3\xA9", "\xE2\x82\xAC 100", "\xE2\x80\xA6"})
        CHECK(is_plain(text));
    for (std::string_view const text : {"a\nb", "a\x7F", "a\x1B[1m", "a\xC2\x85z", "a\xE2\x80\xAEz", "a\xE2\x80\x8Bz",
                                        "a\xE2\x81\xA6z", "a\xEF\xBB\xBFz", "a\xFFz"})
        CHECK_FALSE(is_plain(text));
}

}  // namespace
