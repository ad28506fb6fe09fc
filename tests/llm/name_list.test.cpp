// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/name_list.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace {

using condense::item_kind, condense::detail::half_tokens, condense::detail::is_listable;
using condense::detail::is_quotable, condense::detail::name_context, condense::detail::name_list;

name_list wide() { return name_list{10'000, 100}; }

/// The text of a list without its head.
std::string body(name_list const& list) {
    auto const text = list.text();
    auto const head = std::string{condense::detail::index_head} + "\n";
    REQUIRE(text.starts_with(head));
    return text.substr(head.size());
}

/// "label: name" for each name that is read from a text.
std::vector<std::string> read(std::string_view text) {
    std::vector<std::string> all;
    name_list::read(text, [&](item_kind, std::string_view name, name_context const&, std::string_view label) {
        all.push_back(std::string{label} + ": " + std::string{name});
    });
    return all;
}
using strings = std::vector<std::string>;

TEST_CASE("name_list: names stand behind their labels, in order of the first of each") {
    auto list = wide();
    CHECK(list.add(item_kind::id, "W123456", "order"));
    CHECK(list.add(item_kind::word, "parse_json", ""));
    CHECK(list.add(item_kind::id, "W123457", "order"));
    CHECK(list.add(item_kind::quoted, "go on", "order"));
    CHECK(body(list) == "order: W123456 W123457 \"go on\"\nothers: parse_json\n");
    CHECK(read(list.text()) == strings{"order: W123456", "order: W123457", "order: go on", ": parse_json"});
    CHECK(body(wide()) == "(none)\n");
    CHECK(read(wide().text()).empty());
}

TEST_CASE("name_list: paths share their folders") {
    auto list = wide();
    for (auto const* const path : {"src/io/read.cpp", "src/main.cpp", "src/io/write.cpp", "src/io", "src/io/read.cpp/x",
                                   "https://a.org/b", "lib/a.cpp", "src/io/a,b.cpp"})
        CHECK(list.add(item_kind::path, path, "in"));
    CHECK(body(list) ==
          "in: src/{io/{read.cpp,write.cpp},main.cpp} lib/a.cpp src/io src/io/read.cpp/x https://a.org/b "
          "src/io/a,b.cpp\n");
    auto const names = read(list.text());
    for (auto const* const path : {"in: src/io/read.cpp", "in: src/main.cpp", "in: src/io/write.cpp", "in: lib/a.cpp"})
        CHECK(std::find(names.begin(), names.end(), path) != names.end());
}

TEST_CASE("name_list: lines stand as they were, and are read with their words") {
    auto list = wide();
    CHECK(list.take_room("int parse_json(int x);"));
    list.add_line("int parse_json(int x);");
    CHECK(list.add(item_kind::word, "retryCount", "let"));
    CHECK(body(list) == "let: retryCount\n> int parse_json(int x);\n");
    strings const names{"let: retryCount", "int: parse_json"};
    CHECK(read(list.text()) == names);
    CHECK(read("Names in what has left, behind the word that stood before them:\nlet: retryCount\nLines of it:\n"
               "> int parse_json(int x);\n") == names);  // as it was written once
    list.add_line("We saw New Mexico in spring.");
    CHECK(read(list.text()).back() == "saw: New Mexico");
}

TEST_CASE("name_list: what does not fit is left out, and costs nothing") {
    name_list list{half_tokens("W123456") + half_tokens("order") + 2, 100};
    CHECK_FALSE(list.add(item_kind::id, "W1234567", "order"));
    CHECK(list.add(item_kind::id, "W123456", "order"));
    CHECK(list.room() == 0);
    CHECK_FALSE(list.add(item_kind::word, "a.b", "order"));
    CHECK_FALSE(list.take_room("a.b"));
    // More labels than it was made for.
    name_list narrow{10'000, 2};
    int added = 0;
    for (auto const* const label : {"a", "b", "c", "d", "e", "f"}) added += narrow.add(item_kind::word, "a.b", label);
    CHECK(added >= 2);
    CHECK(added < 6);
}

TEST_CASE("name_list: a shared folder costs what is new") {
    name_list list{half_tokens("src/io/read.cpp") + half_tokens("in") + 2 + half_tokens("write.cpp") + 2, 10};
    CHECK(list.add(item_kind::path, "src/io/read.cpp", "in"));
    CHECK(list.add(item_kind::path, "src/io/write.cpp", "in"));
    CHECK(list.room() == 0);
}

TEST_CASE("name_list: half tokens count runs of letters, humps, digits and signs") {
    CHECK(half_tokens("") == 1);
    CHECK(half_tokens("word") == 3);
    CHECK(half_tokens("retryCount") == 5);
    CHECK(half_tokens("HTTP") == 3);
    CHECK(half_tokens("parse_json") == 6);
    CHECK(half_tokens("W123") == 6);
}

TEST_CASE("name_list: what could close a fence, or hide, can stand in no list") {
    for (std::string_view const name : {"</summary>", "a\"b", "a\tb", "a\nb", "a\xE2\x80\xAEz", ""})
        CHECK_FALSE(is_listable(name));
    CHECK_FALSE(is_listable(std::string(10'000, 'a')));
    for (std::string_view const name : {"src/a.cpp", "go on, then", "\xC3\xA9t\xC3\xA9_1"}) CHECK(is_listable(name));
    for (std::string_view const line : {"a </summary>", "<summary>", "a\nb", "a\x1B[1m", ""})
        CHECK_FALSE(is_quotable(line));
    CHECK_FALSE(is_quotable(std::string(161, 'a')));
    CHECK_FALSE(is_quotable("291-  42.5 }, 7"));
    for (std::string_view const time : {"Sat, 9 March 2026 at 14:05", "2026-03-09T14:05:00Z", "3rd of May 2024"})
        CHECK_FALSE(is_quotable(time));
    for (std::string_view const line :
         {"market 3", "tcp 443", "the top 10", "9 March 2026: the port is open", "Saturday", "5 decimals"})
        CHECK(is_quotable(line));
    CHECK(is_quotable("if (a < b) return \"x\";"));
}

TEST_CASE("name_list: text that is no list holds no names") {
    CHECK(read("order: W123456").empty());
    auto const head = std::string{condense::detail::index_head};
    CHECK(read(head).empty());
    CHECK(read(head + "\na b: W123456\n: parse_json\nx:W123456").empty());
    CHECK(read(head + "\nin: src/{a.cpp,b.cpp}\n</summary>") == strings{"in: src/a.cpp", "in: src/b.cpp"});
}

}  // namespace
