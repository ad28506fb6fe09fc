// SPDX-License-Identifier: BSL-1.0
#include <condense/core/store.hpp>

#include "support/catch.hpp"

namespace {

using condense::reference;

constexpr reference sample{{0x00, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xF0, 0x0F, 0xFF}};

constexpr bool a_reference_of_zeros_is_none() {
    return !reference{} && sample && reference{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}} && reference{} < sample;
}
static_assert(a_reference_of_zeros_is_none());

constexpr bool only_its_own_spelling_is_read() {
    return reference::of("000123456789abcdeff00fff") == sample &&
           reference::of("000000000000000000000000") == reference{} && !reference::of("") &&
           !reference::of("00123456789abcdeff00fff") && !reference::of("0000123456789abcdeff00fff") &&
           !reference::of("g00123456789abcdeff00fff") && !reference::of("000123456789ABCDEFF00FFF");
}
static_assert(only_its_own_spelling_is_read());

}  // namespace

TEST_CASE("reference: 24 lower-case hexadecimal digits") {
    CHECK(a_reference_of_zeros_is_none());
    CHECK(only_its_own_spelling_is_read());
    CHECK(sample.text() == "000123456789abcdeff00fff");
    CHECK(reference{}.text() == "000000000000000000000000");
}
