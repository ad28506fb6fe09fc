// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/tiling.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <condense/estimate/bpe/merge.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

using namespace condense::detail::bpe;

TEST_CASE("tiling: the row of tokens is that of merging") {
    toy_bpe::numbers any{2};
    tiler tile;
    for (auto const merges : {std::size_t{0}, std::size_t{20}, std::size_t{120}, std::size_t{400}}) {
        auto const made = toy_bpe::vocabulary(toy_bpe::trained(merges), condense::split_scheme::cl100k);
        REQUIRE(made.tables().shape.ordered);
        for (int round = 0; round < 400; ++round) {
            auto const text = toy_bpe::text(any, 1 + any.below(round < 300 ? 60 : 1'500));
            std::vector<std::uint32_t> merged;
            heap_merge(made.tables(), text, merged);
            REQUIRE(tile(made.tables(), text) == merged);
        }
    }
}

TEST_CASE("tiling: two tokens may stand together where merging their bytes gives them") {
    auto const tokens = toy_bpe::trained(120);
    auto const made = toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k);
    toy_bpe::naive const naive{tokens};
    for (std::uint32_t left = 200; left < made.size(); ++left)
        for (std::uint32_t right = 256; right < made.size(); right += 3)
            REQUIRE(may_be_neighbours(made.tables(), left, right) ==
                    (naive.merged(tokens[left] + tokens[right]) == std::vector{left, right}));
}

TEST_CASE("tiling: parts above their token are noticed, and the linear way not taken") {
    auto tokens = toy_bpe::trained(0);
    tokens.insert(tokens.end(), {"abc", "ab"});
    CHECK_FALSE(toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k).tables().shape.ordered);
    tokens = toy_bpe::trained(0);
    tokens.insert(tokens.end(), {"ab", "abc"});
    CHECK(toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k).tables().shape.ordered);
}
