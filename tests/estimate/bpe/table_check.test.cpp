// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/table_check.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <condense/estimate/bpe/counter.hpp>
#include <condense/estimate/bpe/table_block.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

using namespace condense::detail::bpe;

TEST_CASE("table_check: what the builder makes is sound") {
    for (auto const& tokens : {toy_bpe::trained(0), toy_bpe::trained(300), toy_bpe::wild(1), toy_bpe::wild(2)}) {
        auto const made = toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k);
        CHECK(is_sound(made.tables().shape));
        CHECK(table_check{made.tables()}());
    }
}

TEST_CASE("table_check: shapes without end are refused") {
    auto const of = toy_bpe::vocabulary(toy_bpe::trained(10), condense::split_scheme::cl100k).tables().shape;
    for (auto const change :
         {+[](table_shape& each) { each.tokens = 0; }, +[](table_shape& each) { each.tokens = 0xFFFF'FFFF; },
          +[](table_shape& each) { each.pair_bits = 0; }, +[](table_shape& each) { each.key_bits = 63; },
          +[](table_shape& each) { each.slot_bits = 64; }, +[](table_shape& each) { each.edge_bits = 255; },
          +[](table_shape& each) { each.step_bits = 0; }, +[](table_shape& each) { each.nodes = 1u << 24; },
          +[](table_shape& each) { each.longest = 1'025; },
          +[](table_shape& each) { each.scheme = static_cast<condense::split_scheme>(9); }}) {
        auto other = of;
        change(other);
        CHECK_FALSE(is_sound(other));
    }
}

// What passes the check is read here, under the sanitizers too: wrong counts are no harm, other memory is.
TEST_CASE("table_check: damaged tables are refused, or do no harm") {
    auto const made = toy_bpe::vocabulary(toy_bpe::trained(300), condense::split_scheme::o200k);
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
