// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/prefix_counts.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <condense/estimate/bpe/merge.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

using namespace condense::detail::bpe;

namespace {

std::size_t merged(tables const& in, std::string_view text) {
    if (in.find(text) != none) return 1;
    std::vector<std::uint32_t> out;
    if (!text.empty()) heap_merge(in, text, out);
    return out.size();
}

}  // namespace

TEST_CASE("prefix_counts: every beginning of a piece has the tokens that merging gives") {
    toy_bpe::numbers any{12};
    for (auto const merges : {std::size_t{0}, std::size_t{60}, std::size_t{400}}) {
        auto const made = toy_bpe::vocabulary(toy_bpe::trained(merges), condense::split_scheme::cl100k);
        for (std::uint64_t round = 0; round < rounds(60); ++round) {
            auto const text = round % 2 == 0 ? toy_bpe::text(any, 200) : toy_bpe::long_pieces(any, 1);
            prefix_counts counts;
            CHECK(counts.empty());
            for (std::size_t size = 1; size <= text.size(); ++size) {
                counts.add(made.tables(), text[size - 1]);
                for (std::size_t less = 0; less <= 4 && less <= size; ++less)
                    REQUIRE(counts.count(made.tables(), less) ==
                            merged(made.tables(), std::string_view{text}.substr(0, size - less)));
                REQUIRE(counts.reach() < made.tables().shape.longest);
            }
        }
    }
}

TEST_CASE("prefix_counts: a whole token that merging does not give is one") {
    auto tokens = toy_bpe::trained(0);
    tokens.insert(tokens.end(), {"ab", "xyz"});
    auto const made = toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k);
    prefix_counts counts;
    counts.add(made.tables(), "xyz");
    CHECK(counts.count(made.tables()) == 1);
    CHECK(counts.count(made.tables(), 1) == 2);
    counts.add(made.tables(), "a");
    CHECK(counts.count(made.tables()) == 4);
    CHECK(counts.count(made.tables(), 1) == 1);
    counts.clear();
    counts.add(made.tables(), "ab");
    CHECK(counts.count(made.tables()) == 1);
}
