// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/estimator.hpp>

#include <type_traits>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

using condense::bpe, condense::cost, condense::part_kind, condense::part_view, condense::role;

static_assert(condense::token_estimator<bpe> && bpe::deterministic);
static_assert(std::is_same_v<decltype(condense::detail::frame_cost(std::declval<bpe const&>(), role::user)), cost>);

TEST_CASE("estimator: whole tokens, and frames of messages and calls") {
    auto const made = toy_bpe::vocabulary(200);
    bpe const count{made, {3}};
    condense::bpe_counter plain{made};
    CHECK(count("") == cost{});
    CHECK(count("the word") == cost::of({plain.count("the word")}));
    CHECK(count(std::string(500, 'q')) == cost::of({500}));
    CHECK(count(std::string(500, 'q')) == cost::of({500}));
    CHECK(count("\xFF") >= cost::of({1}));
    CHECK(count.frame(role::user) == cost::of({3}));
    CHECK(bpe{made}.frame(role::user) == cost::of({4}));
    CHECK(count.frame(part_view{.kind = part_kind::tool_call, .tool = "read", .call = "id"}) ==
          count("read") + count("id"));
    CHECK(count == bpe{made, {3}});
    CHECK_FALSE(count == bpe{made, {4}});
    CHECK(condense::detail::part_cost(count, part_view{.text = "the word"}) == count("the word"));
}

TEST_CASE("estimator: more vocabularies in turn than a thread keeps") {
    std::vector<bpe> all;
    for (std::size_t merges = 0; merges < 6; ++merges) all.emplace_back(toy_bpe::vocabulary(merges * 40));
    for (int round = 0; round < 20; ++round)
        for (auto const& each : all) {
            condense::bpe_counter plain{each.vocabulary()};
            REQUIRE(each("the word of the day") == cost::of({plain.count("the word of the day")}));
        }
}

// The memory of an estimator

TEST_CASE("memo: counts are those without it, for more blocks than there are places") {
    auto const made = toy_bpe::vocabulary(200);
    condense::bpe_counter counter{made}, plain{made};
    condense::bpe_memo memo{4};
    toy_bpe::numbers any{61};
    std::vector<std::string> texts;
    for (int each = 0; each < 60; ++each) texts.push_back(toy_bpe::text(any, any.below(400)));
    for (std::uint64_t round = 0; round < rounds(2'000); ++round) {
        auto const& text = texts[any.below(texts.size())];
        REQUIRE(memo.count(counter, text) == plain.count(text));
    }
    CHECK(memo.hits() > rounds(2'000) / 40);
}

TEST_CASE("memo: a conversation sent again is found, all of it") {
    auto const made = toy_bpe::vocabulary(200);
    condense::bpe_counter counter{made};
    condense::bpe_memo memo;
    toy_bpe::numbers any{62};
    std::vector<std::string> texts;
    for (int each = 0; each < 300; ++each) texts.push_back(toy_bpe::text(any, 100 + any.below(400)));
    for (auto const& text : texts) memo.count(counter, text);
    auto const before = memo.hits();
    for (auto const& text : texts) memo.count(counter, text);
    CHECK(before == 0);
    CHECK(memo.hits() == texts.size());
    CHECK(memo.count(counter, "short") == counter.count("short"));
    CHECK(memo.hits() == texts.size());
}

TEST_CASE("memo: a text that grows is not counted from its beginning") {
    auto const made = toy_bpe::vocabulary(200);
    condense::bpe_counter counter{made}, plain{made};
    condense::bpe_memo memo;
    toy_bpe::numbers any{63};
    std::string first = toy_bpe::text(any, 2'000), second = first + "!", other = toy_bpe::text(any, 3'000);
    std::uint64_t grown = first.size() + second.size() + other.size();
    for (int each = 0; each < 400; ++each) {
        auto const more =
            toy_bpe::text(any, any.below(60)) + (any.below(9) == 0 ? " " + std::string(any.below(200), 'a') : "");
        auto& text = each % 3 == 0 ? first : each % 3 == 1 ? second : other;
        text += more;
        grown += more.size();
        REQUIRE(memo.count(counter, text) == plain.count(text));
    }
    // Each time what is new and what came after the last cut, instead of some 10,000 bytes.
    CHECK(memo.bytes() > grown);
    CHECK(memo.bytes() < grown + 400 * 200);
}

TEST_CASE("memo: one that begins as another and goes on otherwise is counted as it is") {
    auto const made = toy_bpe::vocabulary(200, condense::split_scheme::o200k);
    condense::bpe_counter counter{made}, plain{made};
    condense::bpe_memo memo;
    toy_bpe::numbers any{64};
    std::vector<std::string> texts{toy_bpe::text(any, 1'500)};
    for (int each = 0; each < 600; ++each) {
        auto text = texts[any.below(texts.size())];
        if (any.below(3) == 0) text.resize(1'000 + any.below(text.size() - 1'000));
        if (any.below(3) == 0) text[any.below(text.size())] = static_cast<char>(any.below(256));
        text += toy_bpe::text(any, any.below(40));
        REQUIRE(memo.count(counter, text) == plain.count(text));
        if (text.size() > 1'400) texts.push_back(text);
    }
}
