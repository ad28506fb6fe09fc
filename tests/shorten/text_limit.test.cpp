// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/text_limit.hpp>

#include <array>
#include <limits>

#include <condense/core/usage.hpp>

#include "core/constant.hpp"

namespace {

using namespace condense::literals;
using condense::text_limit, condense::detail::count_lines;

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

constexpr std::string_view front(text_limit limit, std::string_view text) {
    return text.substr(0, limit.prefix_of(text));
}
constexpr std::string_view back(text_limit limit, std::string_view text) { return text.substr(limit.suffix_of(text)); }

constexpr bool bytes_never_cut_a_code_point() {
    constexpr std::string_view text = "\xF0\x9F\x98\x80\xF0\x9F\x98\x80";
    for (std::uint64_t count = 0; count < 4; ++count)
        if (!front(condense::bytes{count}, text).empty() || !back(condense::bytes{count}, text).empty()) return false;
    for (std::uint64_t count = 4; count < 8; ++count)
        if (front(condense::bytes{count}, text).size() != 4 || back(condense::bytes{count}, text).size() != 4)
            return false;
    return front(8_bytes, text) == text && back(8_bytes, text) == text;
}

constexpr bool figures_of_any_size_are_harmless() {
    for (auto const figure : figures_of_any_size)
        for (auto const limit : {text_limit{condense::chars{figure}}, text_limit{condense::bytes{figure}},
                                 text_limit{condense::lines{figure}}}) {
            if (front(limit, "abc\n") != (figure == 0 ? "" : "abc\n") ||
                back(limit, "abc\n") != (figure == 0 ? "" : "abc\n"))
                return false;
        }
    return true;
}

/// A head and a tail of all lines are the text, and hold as many as they say; any bytes will do.
bool ends_meet(std::string_view text) {
    auto const lines = count_lines(text);
    for (std::uint64_t count = 0; count <= lines; ++count) {
        auto const head = front(condense::lines{count}, text);
        auto const tail = back(condense::lines{lines - count}, text);
        if (std::string{head}.append(tail) != text || count_lines(head) != count || count_lines(tail) != lines - count)
            return false;
    }
    auto const points = condense::detail::utf8::count(text);
    for (std::uint64_t count = 0; count <= points; ++count)
        if (std::string{front(condense::chars{count}, text)}.append(back(condense::chars{points - count}, text)) !=
            text)
            return false;
    for (std::uint64_t count = 0; count <= text.size(); ++count) {
        auto const head = front(condense::bytes{count}, text);
        auto const tail = back(condense::bytes{count}, text);
        if (head.size() > count || tail.size() > count || count > head.size() + 3 || count > tail.size() + 3)
            return false;
    }
    return true;
}

}  // namespace

TEST_CASE("text_limit: characters, bytes and lines") {
    constexpr std::string_view text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";  // one of every length
    CHECK_CONSTANT(front(1_chars, text) == "a" && front(2_chars, text) == "a\xC3\xA4" &&
                   front(4_chars, text) == text.substr(0, 10) && back(1_chars, text) == "z" &&
                   back(2_chars, text) == "\xF0\x9F\x98\x80z" && front(5_chars, text) == text &&
                   back(9_chars, text) == text && front(0_chars, text).empty() && back(0_chars, text).empty());
    CHECK_CONSTANT(bytes_never_cut_a_code_point());
    CHECK_CONSTANT(front(1_lines, "a\nb\nc") == "a\n" && front(2_lines, "a\nb\nc") == "a\nb\n" &&
                   front(3_lines, "a\nb\nc") == "a\nb\nc" && back(1_lines, "a\nb\nc") == "c" &&
                   back(2_lines, "a\nb\nc") == "b\nc" && back(1_lines, "a\nb\n") == "b\n" &&
                   back(2_lines, "a\nb\n") == "a\nb\n" && back(1_lines, "\n\n") == "\n" &&
                   front(1_lines, "\n\n") == "\n" && front(0_lines, "a\nb").empty() && back(0_lines, "a\nb").empty() &&
                   front(9_lines, "").empty() && back(9_lines, "").empty() && back(9_lines, "a\n") == "a\n" &&
                   back(1_lines, "\na") == "a");
    CHECK_CONSTANT(count_lines("") == 0 && count_lines("a") == 1 && count_lines("a\n") == 1 && count_lines("\n") == 1 &&
                   count_lines("\n\n") == 2 && count_lines("a\nb") == 2);
    CHECK_CONSTANT(text_limit{3_chars}.holds("abc") && !text_limit{2_chars}.holds("abc") && text_limit{}.holds("abc") &&
                   text_limit{0_chars}.holds("") && text_limit{1_lines}.holds("abc\n") &&
                   !text_limit{1_lines}.holds("abc\n\n") && !(9_lines && 2_bytes).holds("abc"));
    CHECK_CONSTANT(figures_of_any_size_are_harmless());
}

TEST_CASE("text_limit: several limits at once, and a share, above 0 and at most 100 %") {
    constexpr std::string_view text = "aaaa\nbbbb\ncccc\n";
    CHECK_CONSTANT(front(2_lines && 7_bytes, text) == "aaaa\nbb" && front(1_lines && 7_bytes, text) == "aaaa\n" &&
                   back(2_lines && 7_chars, text) == "b\ncccc\n" && back(1_lines && 7_chars, text) == "cccc\n" &&
                   front(2_lines && 9_chars && 3_bytes, text) == "aaa");
    constexpr auto joint = 128_lines && 10'240_bytes && 20_lines;
    CHECK_CONSTANT(joint.lines == 20_lines && joint.bytes == 10'240_bytes && joint.chars.count == most &&
                   joint.bounded() && joint.by_lines() && !text_limit{}.bounded() && !(5_chars && 5_bytes).by_lines());
    constexpr auto half = (100_lines && 10'240_bytes).halved(1);
    CHECK_CONSTANT(half.lines == 50_lines && half.bytes == 5'120_bytes && half.chars.count == most &&
                   text_limit{7_chars}.halved(0) == 7_chars && text_limit{7_chars}.halved(2) == 1_chars &&
                   text_limit{7_chars}.halved(3) == 0_chars && text_limit{}.halved(200) == text_limit{} &&
                   text_limit{condense::chars{most - 1}}.halved(200) == 1_chars);
    for (auto const share : {0_pct, 100.01_pct, 101_pct, condense::percent{condense::detail::none32}}) {
        CHECK_THROWS_AS(text_limit{share}, condense::invalid_configuration);
        CHECK_THROWS_AS(condense::part_limit{share}, condense::invalid_configuration);
    }
    CHECK_NOTHROW(text_limit{0.01_pct} && text_limit{100_pct});
    // A share becomes bytes.
    constexpr text_limit share = 5_pct;
    constexpr auto both = 10'000_chars && 5_pct;
    CHECK_CONSTANT(share.bounded() && share.by_share() && share.holds("of no known window") &&
                   share.within(1'000_bytes) == 50_bytes && share.within({most}) == share &&
                   share.halved(1).within(1'000_bytes) == 25_bytes &&
                   share.halved(200).within(1'000_bytes) == 0_bytes && both.chars == 10'000_chars &&
                   both.share == 5_pct && both.within(1'000_bytes) == (10'000_chars && 50_bytes) &&
                   (5_pct && both && 7_pct) == both && (5_pct && 40_bytes).within(1'000_bytes) == 40_bytes &&
                   text_limit{100_pct}.within(7_bytes) == 7_bytes &&
                   (5_pct && 2'000_tokens) == (2'000_tokens && 5_pct) && (2'000_tokens && 5_pct).text == share);
}

TEST_CASE("text_limit: head and tail meet, in text of any bytes") {
    constexpr std::array<std::string_view, 8> pieces = {"\n",   "a",        "\xC3\xA4", "\xF0\x9F\x98\x80",
                                                        "\x80", "\xE2\x82", "\xFF",     "bc"};
    std::uint64_t state = 7;
    for (int round = 0; round < 400; ++round) {
        std::string text;
        for (int piece = 0; piece < 12; ++piece) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            text.append(pieces[(state >> 33) % pieces.size()]);
        }
        CAPTURE(text);
        REQUIRE(ends_meet(text));
    }
}

TEST_CASE("text_limit: size and cost alone say which parts may be over a limit") {
    using condense::cost, condense::tokens;
    struct reader {
        constexpr cost within(tokens limit) const { return cost::of(limit); }
        constexpr condense::budget limits() const { return {.window = 1'000_tokens}; }
    };
    struct part {
        std::uint64_t size;
        condense::cost cost;
    };
    auto const may_hold = [](condense::part_limit const& over, std::uint64_t size, std::uint64_t count) {
        return condense::detail::large_parts::of(over, reader{}).may_hold(part{size, cost::of({count})});
    };
    CHECK_FALSE(may_hold(100_chars, 100, 999));
    CHECK_FALSE(may_hold(5_pct, 9'999, 50));
    CHECK(may_hold(5_pct, 1, 51));
    CHECK(may_hold(5_pct && 40_tokens, 1, 41));
    CHECK(may_hold(100_chars, 101, 0));
    CHECK_FALSE(may_hold(100_chars && 90_bytes, 90, 0));
    CHECK(may_hold(100_chars && 90_bytes, 91, 0));
    CHECK(may_hold(5_lines, 0, 0));  // lines are not known by size
    CHECK_FALSE(may_hold(20_tokens, 1'000, 20));
    CHECK(may_hold(20_tokens, 1'000, 21));
    CHECK_FALSE(may_hold(20_tokens, 0, 21));  // what it costs beside its text cannot be cut
    CHECK(may_hold(condense::part_limit{100_chars} && 20_tokens, 10, 21));
    CHECK(may_hold(condense::part_limit{100_chars} && 20_tokens, 101, 1));
    CHECK_FALSE(may_hold(condense::part_limit{100_chars} && 20_tokens, 100, 20));
}
