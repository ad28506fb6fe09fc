// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/ascii.hpp>

#include "support/catch.hpp"

namespace {

constexpr bool knows_each_byte() {
    for (int value = -128; value < 128; ++value) {
        auto const byte = static_cast<char>(value);
        if (condense::detail::is_digit(byte) != (value >= 48 && value <= 57)) return false;
        auto const wanted = value >= 65 && value <= 90 ? value + 32 : value;
        if (condense::detail::lowered(byte) != static_cast<char>(wanted)) return false;
    }
    return true;
}
static_assert(knows_each_byte());

}  // namespace

TEST_CASE("ascii: digits and capital letters, and no other byte") { CHECK(knows_each_byte()); }
