// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/memo.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

TEST_CASE("memo: counts are those without it, for more blocks than there are places") {
    auto const made = toy_bpe::vocabulary(toy_bpe::trained(200), condense::split_scheme::cl100k);
    condense::bpe_counter counter{made}, plain{made};
    condense::bpe_memo memo{4};
    toy_bpe::numbers any{61};
    std::vector<std::string> texts;
    for (int each = 0; each < 60; ++each) texts.push_back(toy_bpe::text(any, any.below(400)));
    for (int round = 0; round < 2'000; ++round) {
        auto const& text = texts[any.below(texts.size())];
        REQUIRE(memo.count(counter, text) == plain.count(text));
    }
    CHECK(memo.found() > 50);
}

TEST_CASE("memo: a conversation sent again is found, all of it") {
    auto const made = toy_bpe::vocabulary(toy_bpe::trained(200), condense::split_scheme::cl100k);
    condense::bpe_counter counter{made};
    condense::bpe_memo memo;
    toy_bpe::numbers any{62};
    std::vector<std::string> texts;
    for (int each = 0; each < 300; ++each) texts.push_back(toy_bpe::text(any, 100 + any.below(400)));
    for (auto const& text : texts) memo.count(counter, text);
    auto const before = memo.found();
    for (auto const& text : texts) memo.count(counter, text);
    CHECK(before == 0);
    CHECK(memo.found() == texts.size());
    CHECK(memo.count(counter, "short") == counter.count("short"));
    CHECK(memo.found() == texts.size());
}
