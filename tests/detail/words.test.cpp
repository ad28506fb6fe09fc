// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/words.hpp>

#include <string>
#include <vector>

#include "replay/talk.hpp"
#include "support/catch.hpp"

namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> all;
    condense::detail::each_word(text, [&](auto const& word) { all.emplace_back(word.text); });
    return all;
}

using list = std::vector<std::string>;

TEST_CASE("words are letters, digits, underscores and other characters") {
    CHECK(words_of("parse_json(x2), \xC3\xA4rger!") == list{"parse_json", "x2", "\xC3\xA4rger"});
    CHECK(words_of("").empty());
    CHECK(words_of("..//").empty());
}

TEST_CASE("an escaped line break ends a word, and begins none") {
    CHECK(words_of("one\\ntwo\\tthree\\\\new\\x") == list{"one", "two", "three", "new", "x"});
    CHECK(words_of("end\\") == list{"end"});
}

TEST_CASE("equal words are equal, and so is what is between them") {
    std::vector<condense::detail::word_print> all;
    condense::detail::each_word("a.b a.b a-b", [&](auto const& word) { all.push_back(word); });
    REQUIRE(all.size() == 6);
    CHECK(all[0].word == all[2].word);
    CHECK(all[0].word != all[1].word);
    CHECK(all[1].gap == all[3].gap);
    CHECK(all[5].gap != all[3].gap);
}

TEST_CASE("any text is words and gaps") {
    for (auto const& text : talk::hostile_texts()) {
        std::size_t bytes = 0;
        for (auto const& word : words_of(text)) bytes += word.size();
        CHECK(bytes <= text.size());
    }
}

}  // namespace
