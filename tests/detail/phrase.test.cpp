// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/phrase.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::phrase_at;
using condense::detail::phrase_numbers;

constexpr bool reads(std::string_view text, std::string_view phrase, phrase_numbers numbers = {}) {
    return phrase_at(text, phrase) == numbers;
}

constexpr bool words_are_of_any_case_and_stand_at_the_beginning() {
    return reads("Too LONG", "too long") && reads("too long!", "too long") && !phrase_at("is too long", "too long") &&
           !phrase_at("too lon", "too long") && !phrase_at("", "a") && reads("", "") && reads("a", "") &&
           !phrase_at("[", "{");
}
static_assert(words_are_of_any_case_and_stand_at_the_beginning());

constexpr bool white_space_is_of_any_kind() {
    return reads("a \r\n\t b", "a b") && !phrase_at("ab", "a b") && !phrase_at("a", "a b") && !phrase_at("a b", "ab") &&
           reads(R"(a\n   \\t\rb)", "a b") && !phrase_at(R"(a\b)", "a b") && !phrase_at(R"(a\)", "a b") &&
           !phrase_at("anb", "a b");
}
static_assert(white_space_is_of_any_kind());

constexpr bool numbers_are_read() {
    return reads("12 > 7", "# > %", {12, 7}) && reads("1 + 2 > 4", "# + # > %", {3, 4}) &&
           reads("1,234 ", "#", {1'234, 0}) && reads("12_345_678", "%", {0, 12'345'678}) &&
           reads("7, 8", "#, %", {7, 8}) && reads("1,23", "#,%", {1, 23}) && reads("1,2345", "#,%", {1, 2'345}) &&
           reads("007", "#", {7, 0}) && !phrase_at("x", "#") && !phrase_at("", "%") && !phrase_at(",123", "#") &&
           reads("99999999999999999999999", "#", {~std::uint64_t{0}, 0}) &&
           reads("18446744073709551615+1", "#+#", {~std::uint64_t{0}, 0});
}
static_assert(numbers_are_read());

constexpr bool signs_are_skipped() {
    return reads("n_ctx\\\": 42", "n_ctx~%", {0, 42}) && reads("n_ctx42", "n_ctx~%", {0, 42}) &&
           !phrase_at("n_ctx x42", "n_ctx~%") && !phrase_at("n:::::::::::::42", "n~%") &&
           reads(
               "n\xC2\xA0"
               "42",
               "n~%", {0, 42}) &&
           reads("n--", "n~");
}
static_assert(signs_are_skipped());

constexpr bool what_lies_between_is_skipped() {
    return reads("a, then b 7", "a*b #", {7, 0}) && reads("ab", "a*b") && !phrase_at("a, then", "a*b") &&
           !phrase_at("a b x b 7", "a*b #");  // the first place counts
}
static_assert(what_lies_between_is_skipped());

TEST_CASE("no step of a phrase looks further than its limit", "[detail][phrase]") {
    auto const far = [](std::size_t between) { return "a" + std::string(between, 'x') + "b"; };
    CHECK(reads(far(condense::detail::skip_limit - 1), "a*b"));
    CHECK_FALSE(phrase_at(far(condense::detail::skip_limit), "a*b").has_value());
    auto const wide = [](std::size_t between) { return "a" + std::string(between, '\n') + "b"; };
    CHECK(reads(wide(condense::detail::blank_limit), "a b"));
    CHECK_FALSE(phrase_at(wide(condense::detail::blank_limit + 1), "a b").has_value());
}

}  // namespace
