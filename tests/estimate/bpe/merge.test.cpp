// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

// How the bytes of a piece become tokens: by search, by a heap, by tiling, and beginning by beginning.

using namespace condense::detail::bpe;

namespace {

std::vector<std::uint32_t> by_heap(tables const& in, std::string_view text) {
    std::vector<std::uint32_t> out;
    heap_merge(in, text, out);
    return out;
}

/// Not empty, and no longer than what is merged by search.
std::string short_text(toy_bpe::numbers& any, std::size_t size) {
    auto text = toy_bpe::text(any, size);
    if (text.size() > short_piece) text.resize(short_piece);
    return text;
}

}  // namespace

TEST_CASE("merge: both ways give what the definition gives, with any vocabulary") {
    toy_bpe::numbers any{1};
    std::vector<std::vector<std::string>> vocabularies{toy_bpe::trained(400), toy_bpe::trained(20)};
    for (std::uint64_t seed = 0; seed < 6; ++seed) vocabularies.push_back(toy_bpe::wild(seed));
    for (auto const& tokens : vocabularies) {
        auto const made = toy_bpe::vocabulary(tokens);
        auto const& in = made.tables();
        toy_bpe::naive const naive{tokens};
        for (std::uint64_t round = 0; round < rounds(300); ++round) {
            auto const text = short_text(any, 2 + any.below(round < 200 ? 30 : 63));
            auto const wanted = naive.merged(text);
            std::vector<std::uint32_t> found;
            short_merge const by_search{in, text};
            by_search.each([&](std::uint32_t token) { found.push_back(token); });
            REQUIRE(found == wanted);
            REQUIRE(by_search.count() == wanted.size());
            REQUIRE(by_heap(in, text) == wanted);
        }
        for (std::uint64_t round = 0; round < rounds(20); ++round) {
            auto const text = toy_bpe::text(any, 300);
            REQUIRE(by_heap(in, text) == naive.merged(text));
        }
    }
}

TEST_CASE("merge: all sizes of one byte") {
    auto const tokens = toy_bpe::trained(400);
    auto const made = toy_bpe::vocabulary(tokens);
    toy_bpe::naive const naive{tokens};
    for (std::size_t size = 2; size <= short_piece; ++size)
        CHECK(short_merge{made.tables(), std::string(size, 'a')}.count() ==
              naive.merged(std::string(size, 'a')).size());
}

TEST_CASE("merge: pieces merged in turn have the counts of each by itself") {
    auto const made = toy_bpe::vocabulary(400);
    toy_bpe::numbers any{91};
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> pieces;
        for (auto left = any.below(20); left != 0; --left) pieces.push_back(short_text(any, 2 + any.below(62)));
        std::vector<std::size_t> counts(pieces.size());
        merge_in_turn(
            made.tables(), pieces.size(), [&](std::size_t index) { return std::string_view{pieces[index]}; },
            [&](std::size_t index, std::size_t tokens) { counts[index] += tokens; });
        for (std::size_t index = 0; index < pieces.size(); ++index)
            REQUIRE(counts[index] == short_merge{made.tables(), pieces[index]}.count());
    }
}

TEST_CASE("merge: the row of tokens by tiling is that of merging") {
    toy_bpe::numbers any{2};
    tiler tile;
    for (std::size_t const merges : {0u, 20u, 120u, 400u}) {
        auto const made = toy_bpe::vocabulary(merges);
        REQUIRE(made.tables().shape.ordered);
        for (int round = 0; round < 400; ++round) {
            auto const text = toy_bpe::text(any, 1 + any.below(round < 300 ? 60 : 1'500));
            REQUIRE(tile(made.tables(), text) == by_heap(made.tables(), text));
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

TEST_CASE("merge: tiling of code points of three bytes, with tokens of parts of them") {
    toy_bpe::numbers any{77};
    tiler tile;
    std::size_t whole = 0, crossed = 0;
    for (std::uint64_t round = 0; round < rounds(20); ++round) {
        auto const made = toy_bpe::vocabulary(tokens_of_points(any, 5 + any.below(60)), condense::split_scheme::o200k);
        auto const& in = made.tables();
        REQUIRE(in.shape.ordered);
        for (int each = 0; each < 200; ++each) {
            auto const text = text_of_points(any, 1 + any.below(80));
            REQUIRE(tile(in, text) == by_heap(in, text));
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

TEST_CASE("merge: two tokens may stand together where merging their bytes gives them") {
    auto const tokens = toy_bpe::trained(120);
    auto const made = toy_bpe::vocabulary(tokens);
    toy_bpe::naive const naive{tokens};
    for (std::uint32_t left = 200; left < made.size(); ++left)
        for (std::uint32_t right = 256; right < made.size(); right += 3)
            REQUIRE(may_be_neighbours(made.tables(), left, right) ==
                    (naive.merged(tokens[left] + tokens[right]) == std::vector{left, right}));
}

TEST_CASE("merge: parts above their token are noticed, and the linear way not taken") {
    for (bool const ordered : {false, true}) {
        auto tokens = toy_bpe::trained(0);
        tokens.insert(tokens.end(), {ordered ? "ab" : "abc", ordered ? "abc" : "ab"});
        CHECK(toy_bpe::vocabulary(tokens).tables().shape.ordered == ordered);
    }
}

TEST_CASE("merge: every beginning of a piece has the tokens that merging gives") {
    auto const merged = [](tables const& in, std::string_view text) {
        return in.find(text) != none ? 1 : text.empty() ? 0 : by_heap(in, text).size();
    };
    toy_bpe::numbers any{12};
    for (std::size_t const merges : {0u, 60u, 400u}) {
        auto const made = toy_bpe::vocabulary(merges);
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

TEST_CASE("merge: a whole token that merging does not give is one") {
    auto tokens = toy_bpe::trained(0);
    tokens.insert(tokens.end(), {"ab", "xyz"});
    auto const made = toy_bpe::vocabulary(tokens);
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
