// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/log_line.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using namespace condense::detail;

constexpr bool same_shape(std::string_view left, std::string_view right) {
    return facts_of_line(left).shape == facts_of_line(right).shape;
}

constexpr bool numbers_and_identifiers_are_equal() {
    return same_shape("12:30:45.678 request 7 from 10.0.0.1", "09:05:59.001 request 123,456 from 192.168.10.255") &&
           same_shape("commit a1b2c3 done", "commit 9 done") && same_shape("2024-05-01 ok", "1999-12-31 ok") &&
           same_shape("x 1", "x 2");
}
static_assert(numbers_and_identifiers_are_equal());

constexpr bool white_space_is_equal() {
    return same_shape("a b", "a  \t b") && same_shape("  a b", "a b") && same_shape("a b", "a b\r") &&
           same_shape("a: b", "a :b");
}
static_assert(white_space_is_equal());

constexpr bool words_and_signs_differ() {
    return !same_shape("request 7 failed", "request 7 served") && !same_shape("a b", "ab") &&
           !same_shape("a=1", "a:1") && !same_shape("[a]", "(a)") && !same_shape("a", "A") && !same_shape("x", "7") &&
           !same_shape("a b", "b a") && !same_shape("\xE5\xBE\x85", "\xE6\xBC\xA2") && !same_shape("1.", "1.2") &&
           !same_shape("", "x");
}
static_assert(words_and_signs_differ());

constexpr bool alarming(std::string_view line) { return facts_of_line(line).alarming; }

constexpr bool words_of_alarm_are_found() {
    for (auto const stem : alarm_stems)
        if (!alarming(stem) || alarming(stem.substr(0, stem.size() - 1))) return false;
    return alarming("ValueError: x") && alarming("[WARNING] disk") && alarming("12 tests FAILED") &&
           alarming("it was timed out") && alarming("x=1 Panic!") && !alarming("") && !alarming("err") &&
           !alarming("all is well, 12 served") && !alarming("fa il") && !alarming("fa-il") && !alarming("er\nror") &&
           !alarming("timed in");
}
static_assert(words_of_alarm_are_found());

constexpr bool blank_lines_are_known() {
    for (std::string_view const line : {"", " ", "\t \r"})
        if (!facts_of_line(line).blank) return false;
    for (std::string_view const line : {"a", " 1", "\t-", "\xFF"})
        if (facts_of_line(line).blank) return false;
    return !facts_of_line({"\0", 1}).blank;
}
static_assert(blank_lines_are_known());

constexpr bool stamps_are_left_out() {
    return without_stamp("2024-05-01T12:00:00.5Z INFO 7 up") == "INFO 7 up" &&
           without_stamp("[12:00] (3) up") == "up" && without_stamp("Total 7") == "Total 7" &&
           without_stamp("5Tests failed") == "Tests failed" && without_stamp("7Z up") == "up" &&
           without_stamp("7 Zebras") == "Zebras" && without_stamp("1 2 3") == "1 2 3" && without_stamp("").empty();
}
static_assert(stamps_are_left_out());

}  // namespace

TEST_CASE("log_line: lines of one shape differ in numbers and white space alone") {
    CHECK(numbers_and_identifiers_are_equal());
    CHECK(white_space_is_equal());
    CHECK(words_and_signs_differ());
}

TEST_CASE("log_line: alarm, blank lines, and stamps") {
    CHECK(words_of_alarm_are_found());
    CHECK(blank_lines_are_known());
    CHECK(stamps_are_left_out());
}

TEST_CASE("log_line: no more than the beginning of a line counts") {
    std::string const front(log_line_look - 8, 'x');
    CHECK(same_shape(front + "        a", front + "        b"));
    CHECK_FALSE(same_shape(front + "       a", front + "       b"));
    CHECK(facts_of_line(front + " error..").alarming);
    CHECK_FALSE(facts_of_line(front + "     error").alarming);
    CHECK(facts_of_line(std::string(log_line_look, ' ') + "a").blank);
    CHECK(without_stamp(std::string(1'000'000, '7') + " up") == "up");
}
