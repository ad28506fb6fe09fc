// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/estimator.hpp>

#include <type_traits>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

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
