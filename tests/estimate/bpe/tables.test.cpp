// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include <limits>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

// The tables of a vocabulary: how they are built, where they stand, and whether they can be read.

using namespace condense::detail::bpe;
using condense::split_scheme, condense::vocabulary_error, condense::vocabulary_fault;

namespace {

std::optional<vocabulary_error> wrong(std::vector<std::string> const& tokens) {
    token_list list;
    for (auto const& token : tokens) list.add(token);
    built_tables out;
    return builder{}(list, split_scheme::o200k, out);
}

}  // namespace

TEST_CASE("tables: each byte is a token, and each token stands once") {
    auto tokens = toy_bpe::trained(5);
    CHECK_FALSE(wrong(tokens));
    tokens.push_back(tokens[258]);
    CHECK(wrong(tokens) == vocabulary_error{vocabulary_fault::duplicate_token, 262});
    tokens.pop_back();
    tokens[0x41 ^ 0x55] = "another";
    CHECK(wrong(tokens) == vocabulary_error{vocabulary_fault::missing_byte, 0x41});
}

TEST_CASE("tables: a token has the pair that merging its bytes ends with, or none") {
    for (std::uint64_t seed = 20; seed < 24; ++seed) {
        auto const tokens = toy_bpe::wild(seed);
        auto const made = toy_bpe::vocabulary(tokens, split_scheme::o200k);
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

TEST_CASE("tables: long tokens of one byte") {
    auto tokens = toy_bpe::trained(0);
    for (std::size_t size = 2; size <= 512; size *= 2) tokens.emplace_back(size, ' ');
    auto const made = toy_bpe::vocabulary(tokens);
    CHECK(made.tables().shape.longest == 512);
    CHECK(made.tables().shape.ordered);
    CHECK(made.tables().size(made.tables().parts[made.size() - 1].left) == 256);
}

TEST_CASE("tables: the way to a first code point of three bytes is that of its bytes") {
    auto tokens = toy_bpe::trained(0);
    for (auto const* token : {"\xE4\xB8", "\xE4\xB8\xAD", "\xE6\x96", "\xE6\x96\x87", "\xE4\xB8\xAD\xE6\x96\x87",
                              "\xEF\xBF", "\xEF\xBF\xBF", "\xE4\xB8\x41"})
        tokens.emplace_back(token);
    auto const made = toy_bpe::vocabulary(tokens);
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
    auto const from = in.point_nodes[0x4E2D] & ~leaf_bit;
    for (std::size_t point = 0; point < 0x10000; ++point) CHECK((in.step(from, point) != none) == (point == 0x6587));
    CHECK(in.token_at(in.step(from, 0x6587)) == 260);
    CHECK(in.ends_whole(0x4E2D));
    tiler tiled;
    CHECK(tiled(in, "\xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\x41\xE4\xB8\xEF\xBF\xBF").size() == 4);
    CHECK(tiled(in, "\xE4\xB8\xAC").size() == 2);
}

TEST_CASE("tables: whole tokens are found, and nothing else") {
    auto const tokens = toy_bpe::wild(9);
    auto const made = toy_bpe::vocabulary(tokens);
    auto const& in = made.tables();
    toy_bpe::naive const naive{tokens};
    for (std::uint32_t token = 0; token < made.size(); ++token) {
        CHECK(in.find(tokens[token]) == token);
        CHECK(in.text(token) == tokens[token]);
        auto const longer = tokens[token] + "q";
        CHECK((in.find(longer) == none) == (naive.piece(longer).size() != 1));
    }
    CHECK(in.find("") == none);
    CHECK(in.find(std::string(5'000, 'a')) == none);
}

TEST_CASE("tables: sections follow each other, with the largest shapes too") {
    constexpr auto most = std::numeric_limits<std::uint32_t>::max();
    table_shape const small{.tokens = 256, .bytes = 256, .slot_bits = 9, .pair_bits = 9, .edge_bits = 8};
    table_shape large{.tokens = most, .bytes = most, .nodes = most, .slot_bits = 40, .numbered = true};
    large.pair_bits = large.edge_bits = 40;
    for (auto const& of : {table_shape{}, small, large}) {
        layout const places{of};
        for (std::size_t section = 0; section < layout::sections; ++section) {
            CHECK(places.offsets[section] % 64 == 0);
            CHECK(places.offsets[section] >= (section == 0 ? 0 : places.offsets[section - 1]));
        }
        CHECK(places.size >= places.offsets.back() + of.bytes);
        CHECK(places.size > of.tokens * std::uint64_t{20});
    }
}

TEST_CASE("tables: a block has zero bytes at a multiple of a line, of any size") {
    for (auto const size :
         {std::size_t{1}, std::size_t{64}, std::size_t{1'000'000}, (std::size_t{1} << 21) + 7, std::size_t{5} << 20}) {
        table_block made{size};
        CHECK(made.size() == size);
        CHECK(reinterpret_cast<std::uintptr_t>(made.data()) % 64 == 0);
        CHECK(std::all_of(made.data(), made.data() + size, [](char byte) { return byte == 0; }));
        made.data()[size - 1] = 'x';
        auto const moved = std::move(made);
        CHECK(moved.data()[size - 1] == 'x');
    }
    CHECK(table_block{}.size() == 0);
}

TEST_CASE("tables: the check takes what the builder makes, and refuses shapes without end") {
    for (auto const& tokens : {toy_bpe::trained(0), toy_bpe::trained(300), toy_bpe::wild(1), toy_bpe::wild(2)}) {
        auto const made = toy_bpe::vocabulary(tokens);
        CHECK(is_sound(made.tables().shape));
        CHECK(table_check{made.tables()}());
    }
    auto const of = toy_bpe::vocabulary(10).tables().shape;
    for (auto const change :
         {+[](table_shape& each) { each.tokens = 0; }, +[](table_shape& each) { each.tokens = 0xFFFF'FFFF; },
          +[](table_shape& each) { each.pair_bits = 0; }, +[](table_shape& each) { each.key_bits = 63; },
          +[](table_shape& each) { each.slot_bits = 64; }, +[](table_shape& each) { each.edge_bits = 255; },
          +[](table_shape& each) { each.step_bits = 0; }, +[](table_shape& each) { each.nodes = 1u << 24; },
          +[](table_shape& each) { each.longest = 1'025; },
          +[](table_shape& each) { each.scheme = static_cast<split_scheme>(9); }}) {
        auto other = of;
        change(other);
        CHECK_FALSE(is_sound(other));
    }
}

// What passes the check is read here, under the sanitizers too: wrong counts are no harm, other memory is.
TEST_CASE("tables: damaged ones are refused, or do no harm") {
    auto const made = toy_bpe::vocabulary(300, split_scheme::o200k);
    auto const& of = made.tables().shape;
    layout const places{of};
    auto const from = reinterpret_cast<char const*>(made.tables().pairs);
    toy_bpe::numbers any{77};
    std::size_t refused = 0;
    for (std::uint64_t round = 0; round < rounds(1'200); ++round) {
        auto const block = std::make_shared<table_block>(static_cast<std::size_t>(places.size));
        std::memcpy(block->data(), from, block->size());
        // Each section is as likely as each other; a word of it becomes small, large or another of its own.
        auto const section = any.below(layout::sections);
        auto const words = places.sizes[section] / 4;
        for (auto left = words == 0 ? 0 : 1 + any.below(40); left != 0; --left) {
            std::uint32_t word = 0;
            auto const at = places.offsets[section] + 4 * any.below(words);
            std::memcpy(&word, block->data() + places.offsets[section] + 4 * any.below(words), 4);
            if (any.below(3) == 0) word = static_cast<std::uint32_t>(any.below(600));
            if (any.below(8) == 0) word = 0xFFFF'FFFFu;
            std::memcpy(block->data() + at, &word, 4);
        }
        auto const tables = views(of, block->data());
        if (!table_check{tables}()) {
            ++refused;
            continue;
        }
        condense::bpe_counter counter{condense::bpe_vocabulary{block, tables}};
        auto const text = toy_bpe::text(any, 400) + std::string(200, 'a');
        CHECK(counter.count(text) <= 3 * text.size());
        CHECK(counter.encode(text).size() <= 3 * text.size());
    }
    CHECK(refused > rounds(1'200) / 4);
}
