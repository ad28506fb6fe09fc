// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/build.hpp>
#include <condense/estimate/bpe/tiling.hpp>

#include <string>
#include <vector>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

using namespace condense::detail::bpe;
using condense::vocabulary_error;
using condense::vocabulary_fault;

namespace {

std::optional<vocabulary_error> wrong(std::vector<std::string> const& tokens) {
    token_list list;
    for (auto const& token : tokens) list.add(token);
    built_tables out;
    return builder{}(list, condense::split_scheme::o200k, out);
}

}  // namespace

TEST_CASE("build: each byte is a token, and each token stands once") {
    auto tokens = toy_bpe::trained(5);
    CHECK_FALSE(wrong(tokens));
    tokens.push_back(tokens[258]);
    CHECK(wrong(tokens) == vocabulary_error{vocabulary_fault::duplicate_token, 262});
    tokens.pop_back();
    tokens[0x41 ^ 0x55] = "another";
    CHECK(wrong(tokens) == vocabulary_error{vocabulary_fault::missing_byte, 0x41});
}

TEST_CASE("build: a token has the pair that merging its bytes ends with, or none") {
    for (std::uint64_t seed = 20; seed < 24; ++seed) {
        auto const tokens = toy_bpe::wild(seed);
        auto const made = toy_bpe::vocabulary(tokens, condense::split_scheme::o200k);
        auto const& in = made.tables();
        toy_bpe::naive const naive{tokens};
        std::size_t unmade = 0;
        for (std::uint32_t token = 0; token < made.size(); ++token) {
            auto const reached = naive.merged(tokens[token]).size() == 1;
            REQUIRE((in.parts[token].left != none) == reached);
            if (!reached) ++unmade;
            if (!reached || in.is_byte(token)) continue;
            REQUIRE(tokens[in.parts[token].left] + tokens[in.parts[token].right] == tokens[token]);
            REQUIRE(in.pair(in.parts[token].left, in.parts[token].right) == token);
        }
        CHECK(unmade != 0);
    }
}

TEST_CASE("build: long tokens of one byte") {
    auto tokens = toy_bpe::trained(0);
    for (std::size_t size = 2; size <= 512; size *= 2) tokens.emplace_back(size, ' ');
    auto const made = toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k);
    CHECK(made.tables().shape.longest == 512);
    CHECK(made.tables().shape.ordered);
    CHECK(made.tables().size(made.tables().parts[made.size() - 1].left) == 256);
}

TEST_CASE("build: the way to a first code point of three bytes is that of its bytes") {
    auto tokens = toy_bpe::trained(0);
    for (auto const* token : {"\xE4\xB8", "\xE4\xB8\xAD", "\xE6\x96", "\xE6\x96\x87", "\xE4\xB8\xAD\xE6\x96\x87",
                              "\xEF\xBF", "\xEF\xBF\xBF", "\xE4\xB8\x41"})
        tokens.emplace_back(token);
    auto const made = toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k);
    auto const& in = made.tables();
    REQUIRE(in.shape.ordered);
    std::size_t known = 0;
    for (unsigned point = 0; point < 0x10000; ++point) {
        auto const first = 0xE0 | point >> 12;
        auto const second = 0x80 | (point >> 6 & 0x3Fu);
        auto const third = 0x80 | (point & 0x3Fu);
        auto const before = in.first_nodes[first << 8 | second];
        auto const wanted = before == none ? none : in.edge(before & ~leaf_bit, static_cast<char>(third));
        REQUIRE(in.point_nodes[point] == wanted);
        known += wanted != none;
    }
    CHECK(known == 3);
    std::size_t steps = 0;
    for (std::size_t point = 0; point < 0x10000; ++point) {
        auto const from = in.point_nodes[0x4E2D] & ~leaf_bit;
        steps += in.step(from, point) != none;
        CHECK((in.step(from, point) != none) == (point == 0x6587));
    }
    CHECK(steps == 1);
    CHECK(in.token_at(in.step(in.point_nodes[0x4E2D] & ~leaf_bit, 0x6587)) == 260);
    CHECK(in.ends_whole(0x4E2D));
    tiler tiled;
    CHECK(tiled(in, "\xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\x41\xE4\xB8\xEF\xBF\xBF").size() == 4);
    CHECK(tiled(in, "\xE4\xB8\xAC").size() == 2);
}
