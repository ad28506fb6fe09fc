// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/placeholder.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include "support/catch.hpp"
#include "support/fakes.hpp"

using condense::recovery;
using condense::detail::excerpt;
using condense::detail::gap;
using condense::detail::omission;
using condense::detail::repetition;

TEST_CASE("placeholder: says how much is missing and how to have it back") {
    recovery const stored{{{0xAB, 0xCD}}};
    CHECK(stored);
    CHECK_FALSE(recovery{});
    auto const marker = [](recovery const& how) { return omission(44, 300, "lines", how); };
    CHECK(marker({}) == "[... 44 of 300 lines omitted ...]");
    CHECK(marker({.recorded = true}) == "[... 44 of 300 lines omitted; the journal holds the whole ...]");
    CHECK(marker({.shortened = true}) == "[... 44 of the remaining 300 lines omitted ...]");
    CHECK(omission(1'000'000, 2'000'000, "characters", stored) ==
          "[... 1,000,000 of 2,000,000 characters omitted; the whole is stored as abcd00000000000000000000 ...]");
    condense::wording const words{.stored = "fetch", .recorded = "see the log", .otherwise = "gone"};
    CHECK(marker({.stored = stored.stored, .words = words}) ==
          "[... 44 of 300 lines omitted; fetch abcd00000000000000000000 ...]");
    CHECK(marker({.recorded = true, .words = words}) == "[... 44 of 300 lines omitted; see the log ...]");
    CHECK(marker({.words = words}) == "[... 44 of 300 lines omitted; gone ...]");
    CHECK(omission("image/png", recovery{.words = words}) == "[image/png, omitted; gone]");
}

TEST_CASE("placeholder: says of what type the original was and which share is left, where that is asked for",
          "[row-C3]") {
    using condense::detail::omitted;
    auto const marker = [](omitted const& count, std::string_view way = {}) {
        std::string text;
        condense::detail::append_omission(text, count, "lines", way);
        return text;
    };
    auto const stated = marker({.missing = 44, .total = 300, .type = "text"}, "the journal holds the whole");
    CHECK(stated == "[... 44 of 300 lines omitted; text, 85 % left; the journal holds the whole ...]");
    CHECK(marker({.missing = 299, .total = 300, .type = "mixed"}) ==
          "[... 299 of 300 lines omitted; mixed, under 1 % left ...]");
    CHECK(marker({.missing = 300, .total = 300, .type = "text"}) ==
          "[... 300 of 300 lines omitted; text, 0 % left ...]");
    CHECK(marker({.missing = 44, .total = 300, .of_rest = true, .type = "json"}) ==
          "[... 44 of the remaining 300 lines omitted; json ...]");
    auto const lines = stated + "\n" + fakes::repeated("x\n", 256);
    auto const read = condense::detail::find_cut(lines, "lines", 257);
    REQUIRE(read);
    CHECK(read->count.type == "text");
    CHECK(read->end == stated.size());
}

TEST_CASE("placeholder: several gaps are told one by one, and all of them at the first") {
    CHECK(gap(37, 0) == "[... 37 lines omitted ...]");
    CHECK(gap(1, 0) == "[... 1 line omitted ...]");
    CHECK(gap(1, 1) == "[... 1 more line like this omitted ...]");
    CHECK(gap(1'509, 29) == "[... 29 more lines like this and 1,480 others omitted ...]");
    CHECK(gap(37, 0, 980, 1'200, recovery{}) == "[... 37 lines omitted, 980 of 1,200 in all ...]");
    CHECK(gap(2, 2, 2, 9, {{{0xAB}}}) ==
          "[... 2 more lines like this omitted, 2 of 9 in all; the whole is stored as ab0000000000000000000000 ...]");
}

TEST_CASE("placeholder: repetitions are counted") {
    CHECK(repetition(1) == "[... 1 more time ...]");
    CHECK(repetition(9'999) == "[... 9,999 more times ...]");
}

TEST_CASE("placeholder: is never longer than its limit") {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    constexpr auto limit = condense::detail::omission_limit - 2;  // two line breaks may stand around it
    condense::reference const name{{255}};
    for (auto const& how : {recovery{}, recovery{name}}) CHECK(omission(most, most, "characters", how).size() <= limit);
    std::string const forty(40, 'x');
    std::string const longer(64, 'x');
    condense::wording const words{.stored = forty, .recorded = longer, .otherwise = longer};
    CHECK_NOTHROW(words.validate());
    for (auto const& stored : {condense::reference{}, name})
        CHECK(omission(most, most, "characters", recovery{stored, true, true, words}).size() <= limit);
    for (bool const of_rest : {false, true}) {
        std::string marker;
        condense::detail::append_omission(marker,
                                          {.missing = most - 1, .total = most, .of_rest = of_rest, .type = "mixed"},
                                          "characters", condense::detail::way_back({.stored = name, .words = words}));
        CHECK(marker.size() <= limit);
    }
    CHECK_NOTHROW(condense::tool_words.validate());
    CHECK(condense::detail::way_back({.stored = name, .words = {.stored = "the file artifacts/"}}) ==
          "the file artifacts/" + name.text());
    CHECK_THROWS_AS((condense::wording{.stored = longer}.validate()), condense::invalid_configuration);
    CHECK_THROWS_AS((condense::wording{.otherwise = "a\nb"}.validate()), condense::invalid_configuration);
}

TEST_CASE("placeholder: an excerpt of less than a terabyte has a marker within its limit") {
    constexpr std::uint64_t most = 999'999'999'999;
    CHECK(excerpt(3, 5, "items") == "[... 3 of 5 items omitted ...]");
    CHECK(excerpt(3, 5, "items", 2'740, recovery{}) == "[... 3 of 5 items omitted from 2,740 bytes ...]");
    CHECK(excerpt(0, 5, "keys", 2'740, recovery{}) == "[... values shortened, 5 keys from 2,740 bytes ...]");
    CHECK(excerpt(most / 2, most / 2, "items", most, {{{255}}}).size() <= condense::detail::excerpt_limit);
    CHECK(excerpt(0, most / 2, "items", most, {{{255}}}).size() <= condense::detail::excerpt_limit);
    CHECK(excerpt(most, most, "characters").size() <= condense::detail::excerpt_limit);
}

TEST_CASE("placeholder: gaps and excerpts are read as they are written, and nothing that only begins so") {
    using condense::detail::omitted;
    using condense::detail::read_excerpt;
    using condense::detail::read_gap;
    std::uint64_t lines = 0, size = 0;
    omitted sum;
    CHECK(read_gap(gap(1'509, 29), lines, sum));
    CHECK(lines == 1'509);
    CHECK(sum.total == 0);
    lines = 0;
    CHECK(read_gap(gap(37, 0, 980, 1'200, recovery{}), lines, sum));
    CHECK(lines == 37);
    CHECK(sum.missing == 980);
    CHECK(sum.total == 1'200);
    for (auto const* const other : {"[... 5 lines omitted, as is said below ...]", "[... 5 lines omitted, 5 of 9 ...]",
                                    "[... 5 lines omitted, 5 in all ...]", "[... 5 lines ...]",
                                    "[... 5 more times ...]", "[... lines omitted ...]"}) {
        CAPTURE(other);
        CHECK_FALSE(read_gap(other, lines, sum));
    }
    omitted count;
    CHECK(read_excerpt(excerpt(3, 5, "items", 2'740, recovery{}), "items", 2, count, size));
    CHECK(count.missing == 3);
    CHECK(size == 2'740);
    CHECK(read_excerpt(excerpt(0, 5, "keys", 2'740, recovery{}), "keys", 5, count, size));
    CHECK_FALSE(read_excerpt(excerpt(3, 5, "items", 2'740, recovery{}), "keys", 2, count, size));
    CHECK_FALSE(read_excerpt(excerpt(3, 5, "items", 2'740, recovery{}), "items", 3, count, size));
    CHECK_FALSE(read_excerpt("[... 3 items omitted from 2,740 bytes ...]", "items", 2, count, size));
    CHECK_FALSE(read_excerpt("[... values shortened, some keys from 2,740 bytes ...]", "keys", 5, count, size));
}
