// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/tiling.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/estimate/bpe/merge.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

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

namespace {

/// Some code points of three bytes, most of them neighbours, so that they share bytes, and a few others.
std::string text_of_points(toy_bpe::numbers& any, std::size_t size) {
    std::string out;
    while (out.size() < size) {
        auto const point = any.below(40);
        if (point == 0) out += toy_bpe::text(any, 3);
        else if (point == 1) out += std::string{"\xE4\xB8\x80", 1 + any.below(2)};
        else {
            out += "\xE4\xB8";
            out += static_cast<char>(static_cast<unsigned char>(0x80 + (point < 20 ? point % 4 : point)));
            out[out.size() - 2] = static_cast<char>(static_cast<unsigned char>(0xB8 + any.below(2)));
        }
    }
    return out;
}

/// Single bytes, and then tokens of any two earlier ones, so that many have parts of code points.
std::vector<std::string> tokens_of_points(toy_bpe::numbers& any, std::size_t count) {
    auto tokens = toy_bpe::trained(0);
    while (tokens.size() < 256 + count) {
        auto const text = text_of_points(any, 20);
        auto const begin = any.below(12);
        toy_bpe::naive const naive{tokens};
        auto const parts = naive.merged(std::string_view{text}.substr(begin));
        if (parts.size() < 2) continue;
        auto const pair = any.below(parts.size() - 1);
        auto joined = tokens[parts[pair]] + tokens[parts[pair + 1]];
        if (naive.merged(joined).size() == 2) tokens.push_back(std::move(joined));
    }
    return tokens;
}

}  // namespace

TEST_CASE("tiling: code points of three bytes, with tokens of parts of them") {
    toy_bpe::numbers any{77};
    tiler tile;
    std::size_t whole = 0, crossed = 0;
    for (std::uint64_t round = 0; round < rounds(20); ++round) {
        auto const made = toy_bpe::vocabulary(tokens_of_points(any, 5 + any.below(60)), condense::split_scheme::o200k);
        auto const& in = made.tables();
        REQUIRE(in.shape.ordered);
        for (int each = 0; each < 200; ++each) {
            auto const text = text_of_points(any, 1 + any.below(80));
            std::vector<std::uint32_t> merged;
            heap_merge(in, text, merged);
            REQUIRE(tile(in, text) == merged);
        }
        for (std::size_t point = 0x4E00; point < 0x4E28; ++point) {
            (in.ends_whole(point) ? whole : crossed) += 1;
            for (std::size_t behind = 0x4E00; behind < 0x4E28; ++behind)
                (in.is_whole(point, behind) ? whole : crossed) += 1;
        }
    }
    CHECK(whole > 100);
    CHECK(crossed > 100);
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
