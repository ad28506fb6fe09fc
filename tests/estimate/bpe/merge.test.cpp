// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/merge.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

using namespace condense::detail::bpe;

TEST_CASE("merge: both ways give what the definition gives, with any vocabulary") {
    toy_bpe::numbers any{1};
    std::vector<std::vector<std::string>> vocabularies{toy_bpe::trained(400), toy_bpe::trained(20)};
    for (std::uint64_t seed = 0; seed < 6; ++seed) vocabularies.push_back(toy_bpe::wild(seed));
    for (auto const& tokens : vocabularies) {
        auto const made = toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k);
        auto const& in = made.tables();
        toy_bpe::naive const naive{tokens};
        for (std::uint64_t round = 0; round < rounds(300); ++round) {
            auto text = toy_bpe::text(any, 2 + any.below(round < 200 ? 30 : 63));
            if (text.size() > short_piece) text.resize(short_piece);
            auto const wanted = naive.merged(text);
            std::vector<std::uint32_t> found;
            short_merge const by_search{in, text};
            by_search.each([&](std::uint32_t token) { found.push_back(token); });
            REQUIRE(found == wanted);
            REQUIRE(by_search.count() == wanted.size());
            found.clear();
            heap_merge(in, text, found);
            REQUIRE(found == wanted);
        }
        for (std::uint64_t round = 0; round < rounds(20); ++round) {
            auto const text = toy_bpe::text(any, 300);
            std::vector<std::uint32_t> found;
            heap_merge(in, text, found);
            REQUIRE(found == naive.merged(text));
        }
    }
}

TEST_CASE("merge: all sizes of one byte") {
    auto const tokens = toy_bpe::trained(400);
    auto const made = toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k);
    toy_bpe::naive const naive{tokens};
    for (std::size_t size = 2; size <= short_piece; ++size)
        CHECK(short_merge{made.tables(), std::string(size, 'a')}.count() ==
              naive.merged(std::string(size, 'a')).size());
}

TEST_CASE("merge: pieces merged in turn have the counts of each by itself") {
    auto const made = toy_bpe::vocabulary(toy_bpe::trained(400), condense::split_scheme::cl100k);
    toy_bpe::numbers any{91};
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> pieces;
        for (auto left = any.below(20); left != 0; --left) {
            auto text = toy_bpe::text(any, 2 + any.below(62));
            if (text.size() > short_piece) text.resize(short_piece);
            pieces.push_back(std::move(text));
        }
        std::vector<std::size_t> counts(pieces.size());
        merge_in_turn(
            made.tables(), pieces.size(), [&](std::size_t index) { return std::string_view{pieces[index]}; },
            [&](std::size_t index, std::size_t tokens) { counts[index] += tokens; });
        for (std::size_t index = 0; index < pieces.size(); ++index)
            REQUIRE(counts[index] == short_merge{made.tables(), pieces[index]}.count());
    }
}
