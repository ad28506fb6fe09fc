// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/table_block.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "support/catch.hpp"

using condense::detail::bpe::table_block;

TEST_CASE("table_block: zero bytes at a multiple of a line, of any size") {
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
