// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <condense/detail/utf8.hpp>

#include "support/catch.hpp"

namespace {

using condense::detail::grouped;
using condense::detail::matches_glob;
using condense::detail::small_text;

constexpr bool globs_match_as_file_names_do() {
    return matches_glob("read_file", "read_file") && !matches_glob("read_file", "read") &&
           !matches_glob("read", "read_file") && matches_glob("memory_write", "memory_*") &&
           matches_glob("memory_", "memory_*") && !matches_glob("my_memory_x", "memory_*") &&
           matches_glob("anything", "*") && matches_glob("", "*") && matches_glob("", "") && !matches_glob("a", "") &&
           !matches_glob("", "?") && matches_glob("cat", "c?t") && !matches_glob("ct", "c?t") &&
           matches_glob("abcabc", "*abc") && matches_glob("aXbXc", "a*b*c") && !matches_glob("aXbX", "a*b*c") &&
           matches_glob("abab", "*ab") && matches_glob("ab", "a**b") && matches_glob("a*b", "a*b") &&
           matches_glob("x.y", "x?y") && !matches_glob("Read", "read") && matches_glob("*", "*") &&
           !matches_glob("ba", "*?b") && !matches_glob("abcZ", "abc*bcZ");
}
static_assert(globs_match_as_file_names_do());

constexpr bool control_bytes_become_spaces() {
    small_text<16> const text{
        "a\x1B[1m\n\x7F"
        "b"};
    return std::string_view{text} == "a [1m  b" && !text.empty() && small_text<4>{}.empty();
}
static_assert(control_bytes_become_spaces());

constexpr bool what_does_not_fit_is_left_out() {
    small_text<5> text{"abc"};
    text += "def";
    text += "g";
    return std::string_view{text} == "abcde" && text == small_text<5>{"abcde"} && !(text == small_text<5>{"abcd"});
}
static_assert(what_does_not_fit_is_left_out());

static_assert(std::is_trivially_copyable_v<small_text<96>>);

}  // namespace

TEST_CASE("text: patterns and small texts") {
    CHECK(globs_match_as_file_names_do());
    CHECK(control_bytes_become_spaces());
    CHECK(what_does_not_fit_is_left_out());
}

TEST_CASE("text: patterns of many stars end soon") {
    CHECK_FALSE(matches_glob(std::string(5'000, 'a'), "*a*a*a*a*a*a*a*a*a*a*a*b"));
}

TEST_CASE("text: digits in groups of three") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1'000) == "1,000");
    CHECK(grouped(20'740) == "20,740");
    CHECK(grouped(123'456'789) == "123,456,789");
    CHECK(grouped(~std::uint64_t{0}) == "18,446,744,073,709,551,615");
}

TEST_CASE("text: a small text is cut between code points") {
    for (std::size_t before = 0; before < 8; ++before) {
        small_text<8> text{std::string(before, 'a')};
        text += "\xF0\x9F\x98\x80\xC3\xA4\xE2\x82\xAC";
        CHECK(condense::detail::utf8::valid(text));
    }
}

namespace {

using condense::detail::printable;

constexpr bool what_comes_from_outside_prints_on_one_line() {
    std::string_view const hostile{
        "a\x1B[1m\n\0\x7F\xC2\x9B"
        "b\xE2\x80\xAE\xE2\x80\xA8\xE2\x81\xA6"
        "c\xFF\xC3\xA9",
        24};
    return printable(hostile, 100) == "a [1m    b   c\xEF\xBF\xBD\xC3\xA9" && printable("", 3).empty() &&
           printable("\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA\xC2\xA0", 9) ==
               "\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA\xC2\xA0" &&
           printable("abc", 3) == "abc" && printable("abcd", 3) == "abc..." &&
           printable("\xC3\xA9\xC3\xA9", 1) == "\xC3\xA9...";
}

}  // namespace

TEST_CASE("text: what comes from outside prints on one line") { CHECK(what_comes_from_outside_prints_on_one_line()); }
