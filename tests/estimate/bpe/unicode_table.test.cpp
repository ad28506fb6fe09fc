// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/unicode_table.hpp>

#include <array>
#include <cstdint>

#include <condense/estimate/bpe/char_class.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::detail::bpe;

// Every block that is named exists.
constexpr bool blocks_are_within_the_digits() {
    for (auto const block : unicode_blocks)
        if ((std::size_t{block} + 1) * 128 > sizeof unicode_digits - 1) return false;
    return sizeof unicode_blocks * 128 == unicode_table_end;
}
static_assert(blocks_are_within_the_digits());

}  // namespace

// The whole table is compared with the Unicode data by unicode_classes.py; these are figures of
// DerivedGeneralCategory 16.0.
TEST_CASE("unicode_table: as many code points of each class as Unicode 16 has") {
    CHECK(blocks_are_within_the_digits());
    std::array<std::uint32_t, 8> counted{};
    for (std::uint32_t point = 0; point < 0x110000; ++point) ++counted[static_cast<std::size_t>(class_of(point))];
    CHECK(counted[static_cast<std::size_t>(char_class::upper)] == 1'858 + 31);
    CHECK(counted[static_cast<std::size_t>(char_class::lower)] == 2'258);
    CHECK(counted[static_cast<std::size_t>(char_class::caseless)] == 404 + 136'477);
    CHECK(counted[static_cast<std::size_t>(char_class::mark)] == 2'501);
    CHECK(counted[static_cast<std::size_t>(char_class::number)] == 1'911);
    CHECK(counted[static_cast<std::size_t>(char_class::space)] == 25);
    CHECK(counted[static_cast<std::size_t>(char_class::sign)] == 855 + 8'514);
}
