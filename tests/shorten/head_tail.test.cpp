// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/head_tail.hpp>

#include "shorten/shortener_laws.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using condense::head, condense::head_tail, condense::tail, condense::text_limit, fakes::occurrences, fakes::repeated;
using notation::letters;

static_assert(condense::shortener<head_tail> && condense::shortener<head> && condense::shortener<tail>);
static_assert(!condense::shortener<int> && !condense::shortener<condense::text_limit>);

/// What a shortener makes of a text, or "" where it does not apply.
std::string cut(auto const& shorten, std::string_view text, condense::cut how = {}) {
    return shorten({.text = text}, how).value_or("");
}

constexpr head_tail by_lines{.head = 128_lines, .tail = 128_lines};

TEST_CASE("head_tail: shares of the window, as far as it is known") {
    auto const text = letters(5'000);
    condense::cut const context{.window = 10'000_bytes};
    head_tail const shares{.head = 10_pct, .tail = 5_pct};
    auto const out = cut(shares, text, context);
    CHECK(out == cut(head_tail{.head = 1'000_bytes, .tail = 500_bytes}, text));
    CHECK(cut(shares, out, context).empty());
    CHECK(cut(shares, text, {.halvings = 1, .window = 10'000_bytes}) ==
          cut(head_tail{.head = 500_bytes, .tail = 250_bytes}, text));
    CHECK(cut(head_tail{.at_most = 20_pct}, text, context) == cut(head_tail{.at_most = 2'000_bytes}, text));
    CHECK(cut(head{.keep = 10_pct}, text, context) == cut(head{.keep = 1'000_bytes}, text));
    CHECK(cut(shares, text).empty());
    CHECK(shares.most() == 15_pct);
    CHECK(head_tail{.head = 10_pct}.most() == text_limit{});
    // The layer's limit counts beside them.
    CHECK(cut(shares, text, {.over = 1'200_bytes, .window = 10'000_bytes}).size() <= 1'200);
}

TEST_CASE("head_tail: one end alone, where the whole is, and ill-formed bytes, which get no longer") {
    CHECK(cut(tail{.keep = 100_chars}, letters(500)) == "[... 400 of 500 characters omitted ...]\n" + letters(100));
    CHECK(cut(head{.keep = 2_lines}, repeated("line\n", 100)) == "line\nline\n[... 98 of 100 lines omitted ...]");
    CHECK(cut(tail{.keep = 2_lines}, repeated("line\n", 100)) == "[... 98 of 100 lines omitted ...]\nline\nline\n");
    CHECK(cut(head{.keep = 100_chars}, letters(500), {.how = {{{0xAB}}}}) ==
          letters(100) + "\n[... 400 of 500 characters omitted; the whole is stored as ab0000000000000000000000 ...]");
    std::string const junk(1'000, '\xFF');  // scrubbed 3,000 bytes
    CHECK(cut(head_tail{.head = 400_chars, .tail = 400_chars}, junk).empty());
    auto const shorter = cut(head_tail{.head = 50_chars, .tail = 50_chars}, junk);
    CHECK_FALSE(shorter.empty());
    CHECK(shorter.size() < junk.size());
}

TEST_CASE("head_tail: every halving keeps less, and limits without room for a marker are rejected") {
    auto const text = letters(10'000);
    auto last = text.size();
    for (unsigned halvings = 0; halvings < 12; ++halvings) {
        auto const size = cut(head_tail{}, text, {.halvings = halvings}).size();
        CHECK(size < last);
        last = size;
    }
    for (unsigned halvings = 0; halvings < 70; ++halvings)  // what is left can always hold a marker
        CHECK(cut(head_tail{.at_most = 384_bytes}, text, {.halvings = halvings}).size() <= 384);
    CHECK(cut(head_tail{}, text, {.halvings = 100}).size() < 100);
    CHECK(cut(head{}, text, {.halvings = 100}).size() < 100);
    CHECK(cut(tail{}, text, {.halvings = 100}).size() < 100);
    CHECK_NOTHROW(head_tail{.at_most = 384_bytes}.validate());
    CHECK_NOTHROW(head{.at_most = 5_lines}.validate());
    CHECK_THROWS_AS(head_tail{.at_most = 383_bytes}.validate(), condense::invalid_configuration);
    CHECK_THROWS_AS(head{.at_most = 383_chars}.validate(), condense::invalid_configuration);
    CHECK_THROWS_AS(tail{.at_most = 4_lines}.validate(), condense::invalid_configuration);
    CHECK_NOTHROW(head_tail{}.validate());
}

text_limit any_limit(laws::random_source& random) {
    condense::chars const chars{random.below(400)};
    condense::bytes const bytes{random.below(400)};
    condense::lines const lines{random.below(20)};
    switch (random.below(5)) {
        case 0: return chars;
        case 1: return bytes;
        case 2: return lines;
        case 3: return lines && bytes;
        default: return chars && lines;
    }
}

TEST_CASE("head_tail: the laws hold for any limits") {
    laws::laws_of_any(
        [](laws::random_source& random) {
            head_tail shorten{any_limit(random), any_limit(random), {}};
            if (random.chance(50)) shorten.at_most = condense::bytes{384 + random.below(600)};
            else if (random.chance(50))
                shorten.at_most = condense::lines{5 + random.below(20)} && condense::chars{384 + random.below(600)};
            return std::pair{shorten, laws::promises{.at_most = shorten.at_most, .figures = laws::figures_of_ends}};
        },
        2'000, 50);
}

TEST_CASE("head_tail: cut again, it speaks of the first text") {
    auto const text = repeated("some line\n", 2'000) + std::string(400, 'y');
    auto const again = [](std::string_view given, unsigned halvings, head_tail const& by, bool shortened = false) {
        return cut(by, given, {.halvings = halvings, .how = {.shortened = shortened}});
    };
    head_tail const by_chars{1'005_chars, 1'003_chars};
    auto const once = again(text, 0, by_chars);
    CHECK(occurrences(once, "[... 18,392 of 20,400 characters omitted ...]") == 1);
    auto const twice = again(once, 1, by_chars);
    CHECK(occurrences(twice, "[... ") == 1);
    CHECK(occurrences(twice, "[... 19,397 of 20,400 characters omitted ...]") == 1);  // 502 + 501 are left
    CHECK(occurrences(again(twice, 3, by_chars), " of 20,400 characters omitted ...]") == 1);
    head_tail const lines_of_ends{20_lines, 20_lines};
    auto const lined = again(repeated("some line\n", 2'000), 0, lines_of_ends);
    CHECK(occurrences(again(lined, 1, lines_of_ends), "[... 1,980 of 2,000 lines omitted ...]") == 1);
    // Not half a marker, where it lies across the end that is kept.
    auto const short_head = again(text, 0, head_tail{305_chars, 3'003_chars});
    auto const across = again(short_head, 0, head_tail{325_chars, 503_chars});
    CHECK(occurrences(across, "[... ") == 1);
    CHECK(occurrences(across, " of 20,400 characters omitted ...]") == 1);
    // Otherwise it says that it is not of the whole: other units, another place, somebody else's words.
    CHECK(occurrences(again(lined, 0, head_tail{50_chars, 3_chars}), "characters omitted ...]") == 1);
    CHECK(occurrences(again(lined, 0, head_tail{50_chars, 3_chars}), " of the remaining ") == 1);
    CHECK(occurrences(again(once, 0, head_tail{0_chars, 300_chars}), " of 20,400 ") == 1);
    CHECK(occurrences(again(once, 0, head_tail{1'400_chars, 10_chars}), " of the remaining ") == 1);
    auto const rest = again(text, 0, by_chars, true);
    CHECK(occurrences(rest, "[... 18,392 of the remaining 20,400 characters omitted ...]") == 1);
    auto forged = once;
    forged.replace(forged.find("20,400"), 6, "99,999");
    CHECK(occurrences(again(forged, 1, by_chars), "99,999") == 0);
}

TEST_CASE("head_tail: the marker says the original's type and what is left of it, where asked for", "[row-C3]") {
    condense::cut const asked{.how = {.words = {.type_and_share = true}}};
    condense::cut const rest{.halvings = 1, .how = {.shortened = true, .words = {.type_and_share = true}}};
    std::string rows = "[\n";
    for (int row = 0; row < 400; ++row) rows += "{\"row\": " + std::to_string(1'000 + row) + "},\n";
    rows += "{}]\n";
    auto const once = cut(by_lines, rows, asked);
    CHECK(occurrences(once, "[... 146 of 402 lines omitted; json, 63 % left ...]") == 1);
    // The second cut no longer sees JSON, and speaks of the original all the same.
    auto const twice = cut(by_lines, once, rest);
    CHECK(occurrences(twice, "[... 274 of 402 lines omitted; json, 31 % left ...]") == 1);
    CHECK(cut(by_lines, twice, rest).empty());
    CHECK(occurrences(cut(by_lines, "3 pages\n" + rows, asked), "lines omitted; mixed, 63 % left ...]") == 1);
    CHECK(occurrences(cut(head{.keep = 500_chars}, letters(50'000), asked),
                      "[... 49,500 of 50,000 characters omitted; text, 1 % left ...]") == 1);
    // What is not known is not said: how large the original was, and what it was.
    auto const across = cut(head_tail{.head = 400_chars, .tail = 400_chars}, once, rest);
    CHECK(occurrences(across, " of the remaining ") == 1);
    CHECK(occurrences(across, "characters omitted; json ...]") == 1);
    CHECK(occurrences(cut(by_lines, rows, rest), "of the remaining 402 lines omitted ...]") == 1);
    CHECK(occurrences(cut(by_lines, rows), " left ...]") == 0);
}

}  // namespace
