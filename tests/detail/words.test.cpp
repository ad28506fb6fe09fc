// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/words.hpp>

#include <algorithm>

#include <condense/detail/item_vocabulary.hpp>
#include <condense/detail/items.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"

namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> all;
    condense::detail::each_word(text, [&](auto const& word) { all.emplace_back(word.text); });
    return all;
}

using list = std::vector<std::string>;

TEST_CASE("words are letters, digits, underscores and other characters, and equal ones are equal") {
    CHECK(words_of("parse_json(x2), \xC3\xA4rger!") == list{"parse_json", "x2", "\xC3\xA4rger"});
    CHECK(words_of("").empty());
    CHECK(words_of("..//").empty());
    CHECK(words_of("one\\ntwo\\tthree\\\\new\\x") == list{"one", "two", "three", "new", "x"});
    CHECK(words_of("end\\") == list{"end"});
    std::vector<condense::detail::word_print> all;
    condense::detail::each_word("a.b a.b a-b", [&](auto const& word) { all.push_back(word); });
    REQUIRE(all.size() == 6);
    CHECK((all[0].word == all[2].word && all[0].word != all[1].word && all[1].gap == all[3].gap));
    CHECK(all[5].gap != all[3].gap);
}

using condense::item_kind;
using found_items = std::vector<std::pair<item_kind, std::string>>;

found_items items_of(std::string_view text) {
    found_items all;
    condense::each_item(text, [&](item_kind kind, std::string_view item) { all.emplace_back(kind, item); });
    std::sort(all.begin(), all.end());
    return all;
}
found_items only(item_kind kind, std::string item) { return {{kind, std::move(item)}}; }

/// Nothing but literals, so that it is looked at in a constant expression too.
constexpr bool finds_one(std::string_view text, item_kind kind, std::string_view wanted) {
    int count = 0;
    bool right = false;
    condense::each_item(text, [&](item_kind found, std::string_view item) {
        ++count;
        right = found == kind && item == wanted;
    });
    return count == 1 && right;
}
static_assert(finds_one("so parse_json it is", item_kind::word, "parse_json"));
static_assert(finds_one("in (src/io/read.cpp).", item_kind::path, "src/io/read.cpp"));

TEST_CASE("names have a hump, an underscore or a dot; ids mix letters and digits, six at least") {
    for (std::string const name : {"parse_json", "retryCount", "config.yaml", "std.sort", "_private_x", "getHTTPReply"})
        CHECK(items_of("the " + name + ", too") == only(item_kind::word, name));
    CHECK(items_of("Some plain Words, e.g. these, and i.e. those. End.").empty());
    CHECK(items_of("state-of-the-art NASA HTTP").empty());
    CHECK(items_of("foo_bar-baz") == only(item_kind::word, "foo_bar"));
    for (std::string const id : {"a1b2c3d4", "550e8400-e29b-41d4-a716-446655440000", "ORD12345", "7f3a9c"})
        CHECK(items_of("see " + id + ".") == only(item_kind::id, id));
    CHECK(items_of("x86 and h264 and 3rd").empty());
}

TEST_CASE("paths and URLs are one item each, and numbers have three digits at least") {
    CHECK(items_of("see /usr/lib/x.so, now") == only(item_kind::path, "usr/lib/x.so"));
    CHECK(items_of("./src/a.cpp:12:") == only(item_kind::path, "src/a.cpp"));
    CHECK(items_of("at https://example.org/a?b=c&d=1#top.") ==
          only(item_kind::path, "https://example.org/a?b=c&d=1#top"));
    CHECK(items_of("url=http://x.org/y") == only(item_kind::path, "http://x.org/y"));
    CHECK(items_of("this and/or that, 1/2").empty());
    CHECK(items_of("in 1,234 of 99 cases") == only(item_kind::number, "1,234"));
    CHECK(items_of("on 2024-01-05") == only(item_kind::number, "2024-01-05"));
    CHECK((items_of("port=8080;") == only(item_kind::number, "8080") && items_of("10 or 1.5").empty()));
}

TEST_CASE("strings in quotes count from four bytes to eighty, but not as names of JSON members; escapes are no part") {
    CHECK(items_of("say \"go on now\" loud") == only(item_kind::quoted, "go on now"));
    CHECK(items_of("say 'go on' or `run it`") ==
          found_items{{item_kind::quoted, "go on"}, {item_kind::quoted, "run it"}});
    CHECK(items_of("don't and won't").empty());
    CHECK(items_of(R"({"path": "some words", "text" : "abc"})") == only(item_kind::quoted, "some words"));
    CHECK(items_of(R"({\"path\": \"some words\"})") == only(item_kind::quoted, "some words"));
    CHECK(items_of("\"" + std::string(80, 'x') + "\"").size() == 1);
    CHECK((items_of("\"" + std::string(81, 'x') + "\"").empty() && items_of("\"two\nlines\"").empty()));
    CHECK(items_of("`src/a/b`") == found_items{{item_kind::path, "src/a/b"}, {item_kind::quoted, "src/a/b"}});
    CHECK(items_of(R"(first\nparse_json\n/tmp/a/b\tend)") ==
          found_items{{item_kind::word, "parse_json"}, {item_kind::path, "tmp/a/b"}});
}

using condense::detail::item_vocabulary;

std::vector<std::uint32_t> found_in(item_vocabulary const& words, std::string_view text) {
    std::vector<std::uint32_t> all;
    words.each_in(text, [&](std::uint32_t item, std::string_view) { all.push_back(item); });
    return all;
}
using ids = std::vector<std::uint32_t>;

TEST_CASE("an item is found wherever it stands literally between words, and added twice is one") {
    item_vocabulary words;
    auto const path = words.add(item_kind::path, "src/read.cpp");
    auto const name = words.add(item_kind::word, "read.cpp");
    auto const quoted = words.add(item_kind::quoted, "go on");
    CHECK((found_in(words, "in /src/read.cpp.") == ids{path, name} && found_in(words, "my/read.cpp") == ids{name}));
    CHECK(found_in(words, "go on, go  on, go\non, go once") == ids{quoted});
    CHECK(found_in(words, "src/read.cpp2 xsrc/read.cpp") == ids{name});
    CHECK(found_in(words, "src/read-cpp src read.cp").empty());
    CHECK(found_in(words, "src/src/read.cpp") == ids{path, name});
    // Of the kind that says most.
    item_vocabulary one;
    CHECK((one.add(item_kind::quoted, "parse_json") == 0 && one.add(item_kind::word, "parse_json") == 0));
    CHECK((one.add(item_kind::number, "parse_json") == 0 && one.size() == 1 && one.kind(0) == item_kind::word));
}

TEST_CASE("many items are told apart") {
    item_vocabulary words;
    std::string text;
    for (int at = 0; at < 3'000; ++at) {
        auto const item = "dir" + std::to_string(at % 50) + "/file" + std::to_string(at);
        CHECK(words.add(item_kind::path, item) == static_cast<std::uint32_t>(at));
        text += item + " ";
    }
    auto const found = found_in(words, text);
    REQUIRE(found.size() == 3'000);
    for (std::uint32_t at = 0; at < 3'000; ++at) CHECK(found[at] == at);
}

TEST_CASE("an occurrence comes with its text, after its words") {
    item_vocabulary words;
    words.add(item_kind::path, "src/read.cpp");
    words.add(item_kind::word, "read.cpp");
    std::string read;
    words.each_in(
        "in src/read.cpp", [&](std::uint32_t, std::string_view text) { read.append("[").append(text).append("]"); },
        [&](condense::detail::word_print const& word) { read.append(word.text).append(" "); });
    CHECK(read == "in src read cpp [src/read.cpp][read.cpp]");
}

TEST_CASE("an item of one word is known by it") {
    item_vocabulary words;
    auto const item = words.add(item_kind::word, "parse_json");
    words.add(item_kind::path, "src/read");
    auto const of = [&](std::string_view text) {
        std::uint32_t number = 0;
        condense::detail::each_word(
            text, [&](condense::detail::word_print const& word) { number = words.of_word(word.word); });
        return number;
    };
    CHECK((of("parse_json") == item && of("src") == condense::detail::none32));
    CHECK(of("other") == condense::detail::none32);
}

TEST_CASE("hostile texts end, with few words and items, within bounds") {
    item_vocabulary words;
    std::string deep = "a";
    for (int at = 0; at < 90; ++at) deep += "/a";
    auto const item = words.add(item_kind::path, deep);
    for (auto const& text : talk::hostile_texts()) {
        std::size_t of_words = 0, of_items = 0;
        for (auto const& word : words_of(text)) of_words += word.size();
        CHECK(of_words <= text.size());
        condense::each_item(text, [&](item_kind, std::string_view found) {
            of_items += found.size();
            CHECK(found.size() <= condense::detail::item_most);
            CHECK(condense::detail::within_words(found) == found);
        });
        CHECK(of_items <= 2 * text.size());
        for (auto const found : found_in(words, text)) CHECK(found == item);
    }
}

}  // namespace
