// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/text.hpp>

#include <condense/detail/braces.hpp>
#include <condense/detail/edit_distance.hpp>
#include <condense/detail/log_line.hpp>
#include <condense/detail/phrase.hpp>
#include <condense/detail/utf8.hpp>

#include "core/constant.hpp"

namespace {

using namespace condense::detail;

constexpr bool what_does_not_fit_is_left_out() {
    small_text<5> text{"abc"};
    text += "def";
    text += "g";
    return std::string_view{text} == "abcde" && text == small_text<5>{"abcde"} && !(text == small_text<5>{"abcd"});
}

static_assert(std::is_trivially_copyable_v<small_text<96>>);

TEST_CASE("text: patterns, small texts and digits in groups of three") {
    // Globs match as file names do.
    CHECK_CONSTANT(matches_glob("read_file", "read_file") && !matches_glob("read_file", "read") &&
                   !matches_glob("read", "read_file") && matches_glob("memory_write", "memory_*") &&
                   matches_glob("memory_", "memory_*") && !matches_glob("my_memory_x", "memory_*") &&
                   matches_glob("anything", "*") && matches_glob("", "*") && matches_glob("", "") &&
                   !matches_glob("a", "") && !matches_glob("", "?") && matches_glob("cat", "c?t") &&
                   !matches_glob("ct", "c?t") && matches_glob("abcabc", "*abc") && matches_glob("aXbXc", "a*b*c") &&
                   !matches_glob("aXbX", "a*b*c") && matches_glob("abab", "*ab") && matches_glob("ab", "a**b") &&
                   matches_glob("a*b", "a*b") && matches_glob("x.y", "x?y") && !matches_glob("Read", "read") &&
                   matches_glob("*", "*") && !matches_glob("ba", "*?b") && !matches_glob("abcZ", "abc*bcZ"));
    // Control bytes become spaces.
    CHECK_CONSTANT(std::string_view{small_text<16>{"a\x1B[1m\n\x7F\x62"}} == "a [1m  b" && small_text<4>{}.empty());
    CHECK_CONSTANT(what_does_not_fit_is_left_out());
    // Patterns of many stars end soon.
    CHECK_FALSE(matches_glob(std::string(5'000, 'a'), "*a*a*a*a*a*a*a*a*a*a*a*b"));
    CHECK((grouped(0) == "0" && grouped(999) == "999" && grouped(1'000) == "1,000" && grouped(20'740) == "20,740"));
    CHECK((grouped(123'456'789) == "123,456,789" && grouped(~std::uint64_t{0}) == "18,446,744,073,709,551,615"));
}

TEST_CASE("text: is cut between code points, and from outside prints on one line") {
    for (std::size_t before = 0; before < 8; ++before) {
        small_text<8> text{std::string(before, 'a')};
        text += "\xF0\x9F\x98\x80\xC3\xA4\xE2\x82\xAC";
        CHECK(utf8::valid(text));
    }
    std::string_view const hostile{"a\x1B[1m\n\0\x7F\xC2\x9B\x62\xE2\x80\xAE\xE2\x80\xA8\xE2\x81\xA6\x63\xFF\xC3\xA9",
                                   24};
    CHECK(printable(hostile, 100) == "a [1m    b   c\xEF\xBF\xBD\xC3\xA9");
    constexpr std::string_view harmless = "\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA\xC2\xA0";
    CHECK((printable(harmless, 9) == harmless && printable("", 3).empty() && printable("abc", 3) == "abc"));
    CHECK((printable("abcd", 3) == "abc..." && printable("\xC3\xA9\xC3\xA9", 1) == "\xC3\xA9..."));
}

constexpr bool reads(std::string_view text, std::string_view phrase, phrase_numbers numbers = {}) {
    return phrase_at(text, phrase) == numbers;
}

TEST_CASE("phrase: words, white space, numbers and signs, and how far it looks") {
    // Words are of any case and stand at the beginning.
    CHECK_CONSTANT(reads("Too LONG", "too long") && reads("too long!", "too long") &&
                   !phrase_at("is too long", "too long") && !phrase_at("too lon", "too long") && !phrase_at("", "a") &&
                   reads("", "") && reads("a", "") && !phrase_at("[", "{"));
    // White space is of any kind.
    CHECK_CONSTANT(reads("a \r\n\t b", "a b") && !phrase_at("ab", "a b") && !phrase_at("a", "a b") &&
                   !phrase_at("a b", "ab") && reads(R"(a\n   \\t\rb)", "a b") && !phrase_at(R"(a\b)", "a b") &&
                   !phrase_at(R"(a\)", "a b") && !phrase_at("anb", "a b"));
    CHECK_CONSTANT(reads("12 > 7", "# > %", {12, 7}) && reads("1 + 2 > 4", "# + # > %", {3, 4}) &&
                   reads("1,234 ", "#", {1'234, 0}) && reads("12_345_678", "%", {0, 12'345'678}) &&
                   reads("7, 8", "#, %", {7, 8}) && reads("1,23", "#,%", {1, 23}) &&
                   reads("1,2345", "#,%", {1, 2'345}) && reads("007", "#", {7, 0}) && !phrase_at("x", "#") &&
                   !phrase_at("", "%") && !phrase_at(",123", "#") &&
                   reads("99999999999999999999999", "#", {~std::uint64_t{0}, 0}) &&
                   reads("18446744073709551615+1", "#+#", {~std::uint64_t{0}, 0}));
    // Signs are skipped.
    CHECK_CONSTANT(reads("n_ctx\\\": 42", "n_ctx~%", {0, 42}) && reads("n_ctx42", "n_ctx~%", {0, 42}) &&
                   !phrase_at("n_ctx x42", "n_ctx~%") && !phrase_at("n:::::::::::::42", "n~%") &&
                   reads("n\xC2\xA0\x34\x32", "n~%", {0, 42}) && reads("n--", "n~"));
    // All that lies between is skipped, to the first place.
    CHECK_CONSTANT(reads("a, then b 7", "a*b #", {7, 0}) && reads("ab", "a*b") && !phrase_at("a, then", "a*b") &&
                   !phrase_at("a b x b 7", "a*b #"));
    auto const far = [](std::size_t between) { return "a" + std::string(between, 'x') + "b"; };
    CHECK(reads(far(skip_limit - 1), "a*b"));
    CHECK_FALSE(phrase_at(far(skip_limit), "a*b").has_value());
    auto const wide = [](std::size_t between) { return "a" + std::string(between, '\n') + "b"; };
    CHECK(reads(wide(blank_limit), "a b"));
    CHECK_FALSE(phrase_at(wide(blank_limit + 1), "a b").has_value());
}

TEST_CASE("braces: paths that share folders are written whole, all else stays; hostile lists are bounded") {
    CHECK(expand_braces("in: src/{io/{read.cpp,write.cpp},main.cpp} x\ny/{a,b/c}") ==
          "in: src/io/read.cpp src/io/write.cpp src/main.cpp x\ny/a y/b/c");
    CHECK((expand_braces("a/{b/{c,d}}") == "a/b/c a/b/d" && expand_braces("a/{b}") == "a/b"));
    for (std::string_view const text : {"", "a b", "a/b", "{a,b}", "a{b,c}", "a/{b", "a/{b,c}d", "a/b}", "a/{b,c}}",
                                        "a/{b, c}", "a/{b}/{c,d}", "f(x/{y})", "a,b/{c,d}", " \n "})
        CHECK(expand_braces(text) == text);
    std::string deep;
    for (int depth = 0; depth < 100'000; ++depth) deep += "a/{";
    CHECK(expand_braces(deep) == deep);
    // Each name would come behind a thousand bytes.
    std::string wide = std::string(1'000, 'x') + "/{a";
    for (int name = 0; name < 100'000; ++name) wide += ",b";
    wide += "}";
    CHECK(expand_braces(wide) == wide);
}

TEST_CASE("edit_distance: insertions, removals and exchanges of one character") {
    CHECK((edit_distance("", "") == 0 && edit_distance("abc", "abc") == 0));
    CHECK((edit_distance("", "abc") == 3 && edit_distance("abc", "") == 3));
    CHECK((edit_distance("treshold", "threshold") == 1 && edit_distance("threshold", "treshold") == 1));
    CHECK((edit_distance("kitten", "sitting") == 3 && edit_distance("ab", "ba") == 2));
}

constexpr bool same_shape(std::string_view left, std::string_view right) {
    return facts_of_line(left).shape == facts_of_line(right).shape;
}

constexpr bool alarming(std::string_view line) { return facts_of_line(line).alarming; }

constexpr bool words_of_alarm_are_found() {
    for (auto const stem : alarm_stems)
        if (!alarming(stem) || alarming(stem.substr(0, stem.size() - 1))) return false;
    return alarming("ValueError: x") && alarming("[WARNING] disk") && alarming("12 tests FAILED") &&
           alarming("it was timed out") && alarming("x=1 Panic!") && !alarming("") && !alarming("err") &&
           !alarming("all is well, 12 served") && !alarming("fa il") && !alarming("fa-il") && !alarming("er\nror") &&
           !alarming("timed in");
}

constexpr bool blank_lines_are_known() {
    for (std::string_view const line : {"", " ", "\t \r"})
        if (!facts_of_line(line).blank) return false;
    for (std::string_view const line : {"a", " 1", "\t-", "\xFF"})
        if (facts_of_line(line).blank) return false;
    return !facts_of_line({"\0", 1}).blank;
}

TEST_CASE("log_line: lines of one shape differ in numbers and white space alone") {
    // Numbers and identifiers are equal.
    CHECK_CONSTANT(
        same_shape("12:30:45.678 request 7 from 10.0.0.1", "09:05:59.001 request 123,456 from 192.168.10.255") &&
        same_shape("commit a1b2c3 done", "commit 9 done") && same_shape("2024-05-01 ok", "1999-12-31 ok") &&
        same_shape("x 1", "x 2"));
    // White space is equal.
    CHECK_CONSTANT(same_shape("a b", "a  \t b") && same_shape("  a b", "a b") && same_shape("a b", "a b\r") &&
                   same_shape("a: b", "a :b"));
    // Words and signs differ.
    CHECK_CONSTANT(!same_shape("request 7 failed", "request 7 served") && !same_shape("a b", "ab") &&
                   !same_shape("a=1", "a:1") && !same_shape("[a]", "(a)") && !same_shape("a", "A") &&
                   !same_shape("x", "7") && !same_shape("a b", "b a") && !same_shape("\xE5\xBE\x85", "\xE6\xBC\xA2") &&
                   !same_shape("1.", "1.2") && !same_shape("", "x"));
}

TEST_CASE("log_line: alarm, blank lines, stamps, and how much of a line counts") {
    CHECK_CONSTANT(words_of_alarm_are_found());
    CHECK_CONSTANT(blank_lines_are_known());
    // Stamps are left out.
    CHECK_CONSTANT(without_stamp("2024-05-01T12:00:00.5Z INFO 7 up") == "INFO 7 up" &&
                   without_stamp("[12:00] (3) up") == "up" && without_stamp("Total 7") == "Total 7" &&
                   without_stamp("5Tests failed") == "Tests failed" && without_stamp("7Z up") == "up" &&
                   without_stamp("7 Zebras") == "Zebras" && without_stamp("1 2 3") == "1 2 3" &&
                   without_stamp("").empty());
    std::string const front(log_line_look - 8, 'x');
    CHECK(same_shape(front + "        a", front + "        b"));
    CHECK_FALSE(same_shape(front + "       a", front + "       b"));
    CHECK((facts_of_line(front + " error..").alarming && !facts_of_line(front + "     error").alarming));
    CHECK(facts_of_line(std::string(log_line_look, ' ') + "a").blank);
    CHECK(without_stamp(std::string(1'000'000, '7') + " up") == "up");
}

constexpr bool ill_formed_sequences_are_seen() {
    for (std::string_view const text :
         {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xFE", "\xF0\x9F\x98", "a\xC3z"})
        if (utf8::valid(text)) return false;
    return true;
}

constexpr bool boundaries_are_found() {
    constexpr std::string_view text = "a\xC3\xA4\xF0\x9F\x98\x80z";
    constexpr std::size_t below[] = {0, 1, 1, 3, 3, 3, 3, 7, 8, 8};
    constexpr std::size_t above[] = {0, 1, 3, 3, 7, 7, 7, 7, 8, 8};
    for (std::size_t at = 0; at < 10; ++at)
        if (utf8::floor(text, at) != below[at] || utf8::ceil(text, at) != above[at]) return false;
    return true;
}

/// Where code points begin, by decoding from the front.
std::vector<bool> boundaries(std::string_view text) {
    std::vector<bool> found(text.size() + 1, false);
    for (std::size_t at = 0; at < text.size(); at += utf8::decode(text, at).size) found[at] = true;
    found[text.size()] = true;
    return found;
}

TEST_CASE("utf8: ends, boundaries, and sequences that are well-formed, ill-formed and replaced") {
    constexpr std::string_view text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";
    CHECK_CONSTANT(utf8::prefix(text, 0) == 0 && utf8::prefix(text, 1) == 1 && utf8::prefix(text, 2) == 3 &&
                   utf8::prefix(text, 3) == 6 && utf8::prefix(text, 4) == 10 && utf8::prefix(text, 99) == 10 &&
                   utf8::suffix(text, 0) == 10 && utf8::suffix(text, 1) == 6 && utf8::suffix(text, 3) == 1 &&
                   utf8::suffix(text, 4) == 0 && utf8::suffix(text, ~std::uint64_t{0}) == 0);
    CHECK_CONSTANT(boundaries_are_found());
    // Well-formed sequences are taken whole: Unicode 15, table 3-7.
    CHECK_CONSTANT(utf8::valid("") && utf8::valid("a\x7F") && utf8::valid("\xC2\x80\xDF\xBF") &&
                   utf8::valid("\xE0\xA0\x80\xEC\xBF\xBF") && utf8::valid("\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF") &&
                   utf8::valid("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF") &&
                   utf8::count("\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA4z") == 4);
    CHECK_CONSTANT(ill_formed_sequences_are_seen());
    // One replacement for each maximal part, as in Unicode 15, table 3-8 and the example after it.
    CHECK_CONSTANT(utf8::count("\xE2\x82") == 1 && utf8::count("\xF0\x9F\x98") == 1 &&
                   utf8::count("\xF0\x9F\x98z") == 2 && utf8::count("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") == 9 &&
                   utf8::count("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") == 9 &&
                   utf8::count("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == 5 && utf8::count("\x80\x80\x80") == 3);
    CHECK(utf8::scrubbed("a\xFFz") == "a\xEF\xBF\xBDz");
    CHECK(utf8::scrubbed("\xE2\x82\xE2\x82\xAC") == "\xEF\xBF\xBD\xE2\x82\xAC");
    CHECK(utf8::scrubbed("fine \xF0\x9F\x98\x80") == "fine \xF0\x9F\x98\x80");
    std::string out = "kept ";
    utf8::append_scrubbed(out, "\x80\x80");
    CHECK(out == "kept \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("utf8: every code point is read, and its neighbours are not") {
    for (std::uint32_t point = 0; point < 0x110000; point += point < 0x3000 ? 1 : 61) {
        std::string text;
        if (point < 0x80) text = {static_cast<char>(point)};
        else if (point < 0x800) text = {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 63))};
        else if (point < 0x10000)
            text = {static_cast<char>(0xE0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 63)),
                    static_cast<char>(0x80 | (point & 63))};
        else
            text = {static_cast<char>(0xF0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 63)),
                    static_cast<char>(0x80 | (point >> 6 & 63)), static_cast<char>(0x80 | (point & 63))};
        bool const surrogate = point >= 0xD800 && point < 0xE000;
        REQUIRE(utf8::valid(text) == !surrogate);
        if (!surrogate) REQUIRE(utf8::decode(text, 0).size == text.size());
        if (text.size() > 1) REQUIRE_FALSE(utf8::valid(text.substr(0, text.size() - 1)));
    }
}

TEST_CASE("utf8: in any bytes counts grow, cuts agree, and what is scrubbed is valid") {
    constexpr std::array<unsigned char, 14> bytes = {'a',  'z',  0x80, 0xBF, 0xC2, 0xC3, 0xE0,
                                                     0xE2, 0xED, 0xF0, 0xF4, 0x90, 0xA0, 0xFF};
    std::uint64_t state = 3;
    for (int round = 0; round < 3'000; ++round) {
        std::string text;
        for (int size = 0; size < 16; ++size) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            auto const before = utf8::count(text);
            text.push_back(static_cast<char>(bytes[(state >> 33) % bytes.size()]));
            REQUIRE(utf8::count(text) >= before);
        }
        auto const starts = boundaries(text);
        std::size_t below = 0;
        for (std::size_t at = 0; at <= text.size(); ++at) {
            if (starts[at]) below = at;
            CAPTURE(round, at);
            REQUIRE(utf8::floor(text, at) == below);
            auto above = at;
            while (!starts[above]) ++above;
            REQUIRE(utf8::ceil(text, at) == above);
        }
        auto const points = utf8::count(text);
        for (std::uint64_t taken = 0; taken <= points; ++taken)
            REQUIRE(utf8::prefix(text, taken) == utf8::suffix(text, points - taken));
        auto const clean = utf8::scrubbed(text);
        REQUIRE(utf8::valid(clean));
        REQUIRE(utf8::count(clean) == points);
        REQUIRE(utf8::scrubbed(clean) == clean);
    }
}

TEST_CASE("utf8: what is no ASCII is seen at any place of a long run of it") {
    for (std::size_t place = 0; place < 40; ++place) {
        std::string const before(place, 'x');
        for (std::size_t more = 0; more < 20; ++more) {
            auto const odd = before + "\x80" + std::string(more, 'y');
            CHECK_FALSE(utf8::valid(odd));
            CHECK(utf8::ascii_end(odd, place / 2) == place);
            auto const text = before + "\xC3\xA4" + std::string(more, 'y');
            CHECK(utf8::valid(text));
            CHECK(utf8::count(text) == place + 1 + more);
            CHECK((utf8::prefix(text, place) == place && utf8::prefix(text, place + 1) == place + 2));
            CHECK(utf8::prefix(text, place + 1 + more / 2) == place + 2 + more / 2);
        }
    }
}

}  // namespace
