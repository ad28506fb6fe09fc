// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/number_text.hpp>

#include "support/catch.hpp"

namespace {

using condense::detail::take_char;
using condense::detail::take_number;

constexpr bool takes(std::string_view text, std::uint64_t wanted, std::string_view rest) {
    std::uint64_t number = 7;
    return take_number(text, number) && number == wanted && text == rest;
}
constexpr bool refuses(std::string_view text) {
    auto left = text;
    std::uint64_t number = 7;
    return !take_number(left, number) && number == 7 && left == text;
}

constexpr bool numbers_are_taken() {
    return takes("0", 0, "") && takes("12,3", 12, ",3") && takes("007", 7, "") && takes("18446744073709551615 ", ~std::uint64_t{0}, " ") &&
           refuses("") && refuses("-1") && refuses(" 1") && refuses("x") && refuses("18446744073709551616") &&
           refuses("99999999999999999999999999");
}
static_assert(numbers_are_taken());

constexpr bool characters_are_taken() {
    std::string_view text = "+1";
    return !take_char(text, '1') && text == "+1" && take_char(text, '+') && text == "1" && take_char(text, '1') && !take_char(text, '1');
}
static_assert(characters_are_taken());

}  // namespace

TEST_CASE("number_text: digits are a number, up to 64 bits") { CHECK(numbers_are_taken()); }

TEST_CASE("number_text: one character") { CHECK(characters_are_taken()); }
