// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/item_vocabulary.hpp>

#include <string>
#include <vector>

#include "replay/talk.hpp"
#include "support/catch.hpp"

namespace {

using condense::item_kind;
using condense::detail::item_vocabulary;

std::vector<std::uint32_t> found_in(item_vocabulary const& words, std::string_view text) {
    std::vector<std::uint32_t> all;
    words.each_in(text, [&](std::uint32_t item, std::string_view) { all.push_back(item); });
    return all;
}
using list = std::vector<std::uint32_t>;

TEST_CASE("an item is found wherever it stands literally between words") {
    item_vocabulary words;
    auto const path = words.add(item_kind::path, "src/read.cpp");
    auto const name = words.add(item_kind::word, "read.cpp");
    auto const quoted = words.add(item_kind::quoted, "go on");
    CHECK(found_in(words, "in /src/read.cpp.") == list{path, name});
    CHECK(found_in(words, "my/read.cpp") == list{name});
    CHECK(found_in(words, "go on, go  on, go\non, go once") == list{quoted});
    CHECK(found_in(words, "src/read.cpp2 xsrc/read.cpp") == list{name});
    CHECK(found_in(words, "src/read-cpp src read.cp").empty());
    CHECK(found_in(words, "src/src/read.cpp") == list{path, name});
}

TEST_CASE("an item added twice is one, of the kind that says most") {
    item_vocabulary words;
    CHECK(words.add(item_kind::quoted, "parse_json") == 0);
    CHECK(words.add(item_kind::word, "parse_json") == 0);
    CHECK(words.add(item_kind::number, "parse_json") == 0);
    CHECK(words.size() == 1);
    CHECK(words.kind(0) == item_kind::word);
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
    CHECK(of("parse_json") == item);
    CHECK(of("src") == condense::detail::none32);
    CHECK(of("other") == condense::detail::none32);
}

TEST_CASE("hostile texts end") {
    item_vocabulary words;
    std::string deep = "a";
    for (int at = 0; at < 90; ++at) deep += "/a";
    auto const item = words.add(item_kind::path, deep);
    for (auto const& text : talk::hostile_texts())
        for (auto const found : found_in(words, text)) CHECK(found == item);
}

}  // namespace
