// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/tables.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

using namespace condense::detail::bpe;

TEST_CASE("tables: whole tokens are found, and nothing else") {
    auto const tokens = toy_bpe::wild(9);
    auto const made = toy_bpe::vocabulary(tokens, condense::split_scheme::cl100k);
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
    for (auto const& of :
         {table_shape{}, table_shape{.tokens = 256, .bytes = 256, .slot_bits = 9, .pair_bits = 9, .edge_bits = 8},
          table_shape{.tokens = most,
                      .bytes = most,
                      .nodes = most,
                      .slot_bits = 40,
                      .pair_bits = 40,
                      .edge_bits = 40,
                      .numbered = true}}) {
        layout const places{of};
        for (std::size_t section = 0; section < layout::sections; ++section) {
            CHECK(places.offsets[section] % 64 == 0);
            CHECK(places.offsets[section] >= (section == 0 ? 0 : places.offsets[section - 1]));
        }
        CHECK(places.size >= places.offsets.back() + of.bytes);
        CHECK(places.size > of.tokens * std::uint64_t{20});
    }
}
