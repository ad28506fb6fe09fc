// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/passages.hpp>

#include <initializer_list>

#include "support/catch.hpp"

using condense::detail::passage_hit, condense::detail::passage_ranking;

namespace {

std::vector<std::uint64_t> documents(std::string_view query, std::vector<std::string> const& texts,
                                     std::size_t most = 10) {
    passage_ranking ranking{query};
    for (std::size_t index = 0; index < texts.size(); ++index) ranking.see(index, texts[index]);
    std::vector<std::uint64_t> all;
    for (auto const& hit : ranking.best(most)) all.push_back(hit.document);
    return all;
}

using list = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("passages: cover a text without a gap, at line ends and within characters' bounds") {
    std::string text;
    for (int line = 0; line < 100; ++line)
        text += "line " + std::to_string(line) + std::string(static_cast<std::size_t>(line), 'x') + "\n";
    text += std::string(3'000, 'y');
    for (int sign = 0; sign < 500; ++sign) text += "\xE2\x82\xAC";
    std::size_t next = 0;
    condense::detail::each_passage(text, [&](std::size_t offset, std::size_t size) {
        CHECK(offset == next);
        CHECK(size > 0);
        CHECK(size <= condense::detail::passage_bytes);
        CHECK((static_cast<unsigned char>(text[offset]) & 0xC0) != 0x80);
        if (offset + size < 5'000) CHECK(text[offset + size - 1] == '\n');
        next = offset + size;
    });
    CHECK(next == text.size());
    // Bytes that are no characters are passed over as well.
    next = 0;
    condense::detail::each_passage(std::string(2'000, '\x80'), [&](std::size_t, std::size_t size) { next += size; });
    CHECK(next == 2'000);
}

TEST_CASE("passage_ranking: rare words count more, the words as they stand most, later documents first") {
    std::vector<std::string> const texts{"the port of the server", "the the the the", "a port", "server port 8443",
                                         "nothing of that kind"};
    CHECK(documents("8443", texts) == list{3});
    CHECK(documents("server port", texts).front() == 3);
    CHECK(documents("port of the server", texts).front() == 0);
    CHECK(documents("which PORT?", texts).size() == 3);
    CHECK(documents("absent", texts).empty());
    CHECK(documents("port", {"port", "port"}) == list{1, 0});
    CHECK(documents("port", texts, 1).size() == 1);
    CHECK(documents("verPo", {"getServerPort"}) == list{0});
    CHECK(documents("is", {"this", "it is"}) == list{1});
}

TEST_CASE("passage_ranking: takes every query as literal text") {
    for (std::string_view const query : std::initializer_list<std::string_view>{"", "  ", "...", "\"\"", "?!"})
        CHECK(passage_ranking{query}.empty());
    for (std::string_view const query :
         std::initializer_list<std::string_view>{".*", "a|b", "[a", "\\", "\xFF\x00", "%"})
        CHECK(documents(query, {"plain"}).empty());
    CHECK(documents("a(b)*", {"x a(b)* y"}) == list{0});
    std::string many;
    for (int word = 0; word < 10'000; ++word) many += "w" + std::to_string(word) + " ";
    CHECK(documents(many, {"w3 w4", "w9999"}) == list{0});
}

TEST_CASE("passage_ranking: a word comes before the longer ones that it is a part of") {
    std::vector<std::string> texts;
    for (int which = 0; which < 40; ++which)
        texts.push_back((which == 3 ? "As far as I know, and that is not very far, the " : "The ") +
                        std::string{"order is W4822"} + std::to_string(which) + " of shop.");
    for (std::string_view const query : {"W48223", "w48223", "order W48223 shop", "is W48223"}) {
        CAPTURE(query);
        CHECK(documents(query, texts).front() == 3);
    }
    CHECK(documents("W48223", texts).size() == 10);  // W482230 and further ones come behind
}

TEST_CASE("passage_ranking: keeps the best of more passages than it holds, two of a document") {
    passage_ranking ranking{"needle common"};
    for (std::uint64_t document = 0; document < 100'000; ++document)
        ranking.see(document, document == 777 ? "common needle" : "common");
    CHECK(ranking.best(3).front().document == 777);
    std::string long_text;
    for (int line = 0; line < 100; ++line) long_text += "port " + std::string(400, 'x') + "\n";
    passage_ranking other{"port"};
    other.see(0, long_text);
    CHECK(other.best(10).size() == 2);
}

TEST_CASE("passage_ranking: shows a passage at its rarest word") {
    passage_ranking ranking{"the needle"};
    ranking.see(0, "the hay");
    ranking.see(1, "the hay with a needle");
    CHECK(ranking.focus("the hay with a needle") == 15);
    CHECK(ranking.focus("here is the needle") == 8);
    CHECK(ranking.focus("neither") == 3);
    CHECK(ranking.focus("xxx") == 0);
}
