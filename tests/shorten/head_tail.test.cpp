// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/head_tail.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/detail/utf8.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::head;
using condense::head_tail;
using condense::tail;
using condense::text_limit;
namespace utf8 = condense::detail::utf8;

static_assert(condense::shortener<head_tail> && condense::shortener<head> && condense::shortener<tail>);
static_assert(!condense::shortener<int> && !condense::shortener<condense::text_limit>);

/// What a shortener makes of a text, or "" where it does not apply.
template <class Shortener>
std::string cut(Shortener const& shorten, std::string_view text, condense::cut how = {}) {
    return shorten({.text = text}, how).value_or("");
}

std::string lines(int count, std::string_view text) {
    std::string out;
    for (int line = 0; line < count; ++line) out.append(text).append("\n");
    return out;
}

std::size_t occurrences(std::string_view text, std::string_view wanted) {
    std::size_t found = 0;
    for (auto at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) ++found;
    return found;
}

constexpr head_tail by_lines{.head = 128_lines, .tail = 128_lines};

}  // namespace

TEST_CASE("head_tail: lines from both ends [case-28] [case-30]") {
    auto text = lines(300, "test line");
    text.pop_back();
    auto const out = cut(by_lines, text);
    CHECK(out.starts_with(lines(128, "test line") + "[... 44 of 300 lines omitted"));
    CHECK(out.ends_with("...]\n" + text.substr(text.size() - 128 * 10 + 1)));
    CHECK(occurrences(cut(by_lines, lines(5'000, "x")), "[... 4,744 of 5,000 lines omitted") == 1);
}

TEST_CASE("head_tail: shares of the window, as far as it is known") {
    std::string const text(5'000, 'x');
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

TEST_CASE("head_tail: a limit on bytes holds for the result with its marker [case-31]") {
    std::string text;
    for (char line = 'a'; line < 'k'; ++line) text.append(std::string(1'999, line)).append("\n");
    auto const out = cut(head_tail{.head = 128_lines, .tail = 128_lines, .at_most = 10'240_bytes}, text);
    CHECK(out.size() <= 10'240);
    CHECK(out.size() > 9'000);
    CHECK(out.starts_with(std::string(1'999, 'a') + "\n"));
    CHECK(out.ends_with(std::string(1'999, 'j') + "\n"));
    CHECK(occurrences(out, "[... ") == 1);
    for (char line = 'a'; line < 'k'; ++line) CHECK(occurrences(out, std::string(1'999, line)) <= 1);
}

TEST_CASE("head_tail: one line is cut where lines alone would not [case-33] [case-175]") {
    head_tail const shorten{.head = 50_lines, .tail = 20_lines, .at_most = 10'000_bytes};
    auto const out = cut(shorten, std::string(100'000, 'x'));
    CHECK(out.size() <= 10'000);
    CHECK(out.size() > 9'000);
    CHECK(cut(shorten, "[" + std::string(1'000'006, '1') + "]").size() <= 10'000);
}

TEST_CASE("head_tail: characters from both ends [case-35]") {
    auto const text = std::string(200, 'P') + std::string(500, 'M') + std::string(200, 'S');
    CHECK(cut(head_tail{.head = 200_chars, .tail = 200_chars}, text) ==
          std::string(200, 'P') + "\n[... 500 of 900 characters omitted ...]\n" + std::string(200, 'S'));
}

TEST_CASE("head_tail: a cut that saves nothing is not made [case-36] [case-38]") {
    head_tail const shorten{.head = 200_chars, .tail = 200_chars};
    for (std::size_t size = 0; size < 600; ++size) {
        auto const out = shorten({.text = std::string(size, 'x')}, {});
        if (out) CHECK(out->size() < size);
        if (size <= 401) CHECK_FALSE(out);
    }
    CHECK(shorten({.text = std::string(600, 'x')}, {}));
    CHECK(cut(head{.keep = 2'000_chars}, std::string(2'001, 'x')).empty());
}

TEST_CASE("head_tail: one end alone [case-40]") {
    CHECK(cut(head{.keep = 100_chars}, std::string(500, 'x')) ==
          std::string(100, 'x') + "\n[... 400 of 500 characters omitted ...]");
    CHECK(cut(tail{.keep = 100_chars}, std::string(500, 'x')) ==
          "[... 400 of 500 characters omitted ...]\n" + std::string(100, 'x'));
    CHECK(cut(head{.keep = 100_chars}, std::string(100, 'x')).empty());
    CHECK(cut(head{.keep = 2_lines}, lines(100, "line")) == "line\nline\n[... 98 of 100 lines omitted ...]");
    CHECK(cut(tail{.keep = 2_lines}, lines(100, "line")) == "[... 98 of 100 lines omitted ...]\nline\nline\n");
}

TEST_CASE("head_tail: says where the whole is") {
    auto const out = cut(head{.keep = 100_chars}, std::string(500, 'x'), {.how = {{{0xAB}}}});
    CHECK(out == std::string(100, 'x') +
                     "\n[... 400 of 500 characters omitted; the whole is stored as ab0000000000000000000000 ...]");
}

TEST_CASE("head_tail: every halving keeps less") {
    auto const text = std::string(10'000, 'x');
    auto last = text.size();
    for (unsigned halvings = 0; halvings < 12; ++halvings) {
        auto const size = cut(head_tail{}, text, {.halvings = halvings}).size();
        CHECK(size < last);
        last = size;
    }
    CHECK(cut(head_tail{}, text, {.halvings = 100}).size() < 100);
    CHECK(cut(head{}, text, {.halvings = 100}).size() < 100);
    CHECK(cut(tail{}, text, {.halvings = 100}).size() < 100);
}

TEST_CASE("head_tail: what is left can always hold a marker") {
    head_tail const shorten{.at_most = 384_bytes};
    for (unsigned halvings = 0; halvings < 70; ++halvings) {
        auto const out = cut(shorten, std::string(10'000, 'x'), {.halvings = halvings});
        CHECK(out.size() <= 384);
        CHECK(occurrences(out, "...]") == 1);
    }
}

TEST_CASE("head_tail: limits without room for a marker are rejected") {
    CHECK_NOTHROW(head_tail{.at_most = 384_bytes}.validate());
    CHECK_NOTHROW(head{.at_most = 5_lines}.validate());
    CHECK_THROWS_AS(head_tail{.at_most = 383_bytes}.validate(), condense::invalid_configuration);
    CHECK_THROWS_AS(head{.at_most = 383_chars}.validate(), condense::invalid_configuration);
    CHECK_THROWS_AS(tail{.at_most = 4_lines}.validate(), condense::invalid_configuration);
    CHECK_NOTHROW(head_tail{}.validate());
}

namespace {

class numbers {
public:
    explicit numbers(std::uint64_t seed) : state_{seed} {}
    std::uint64_t below(std::uint64_t limit) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return (state_ >> 33) % limit;
    }

private:
    std::uint64_t state_;
};

text_limit any_limit(numbers& random) {
    switch (random.below(5)) {
        case 0: return condense::chars{random.below(400)};
        case 1: return condense::bytes{random.below(400)};
        case 2: return condense::lines{random.below(20)};
        case 3: return condense::lines{random.below(20)} && condense::bytes{random.below(400)};
        default: return condense::chars{random.below(400)} && condense::lines{random.below(20)};
    }
}

}  // namespace

TEST_CASE("head_tail: any bytes give valid, shorter text within the limits, and are not cut twice") {
    constexpr std::array<std::string_view, 8> pieces = {"\n",   "word ",    "\xC3\xA4", "\xF0\x9F\x98\x80",
                                                        "\x80", "\xE2\x82", "\xFF",     "\x01"};
    std::size_t cuts = 0;
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        numbers random{seed};
        std::string text;
        for (auto left = random.below(900); left != 0; --left) text.append(pieces[random.below(pieces.size())]);
        head_tail shorten{any_limit(random), any_limit(random), {}};
        if (random.below(2) == 0) shorten.at_most = condense::bytes{384 + random.below(600)};
        else if (random.below(2) == 0)
            shorten.at_most = condense::lines{5 + random.below(20)} && condense::chars{384 + random.below(600)};
        condense::cut const how{.halvings = static_cast<unsigned>(random.below(3)),
                                .how = {{{static_cast<std::uint8_t>(random.below(2))}}}};
        auto const out = shorten({.text = text}, how);
        CAPTURE(seed);
        auto const limit = shorten.at_most.halved(how.halvings);
        if (!out) continue;
        ++cuts;
        REQUIRE(utf8::valid(*out));
        REQUIRE(out->size() < utf8::scrubbed(text).size());
        REQUIRE(out->size() <= (limit.bytes.count < 384 ? 384 : limit.bytes.count));
        REQUIRE(utf8::count(*out) <= (limit.chars.count < 384 ? 384 : limit.chars.count));
        REQUIRE(condense::detail::count_lines(*out) <= (limit.lines.count < 5 ? 5 : limit.lines.count));
        REQUIRE(occurrences(*out, " omitted") == 1);
        REQUIRE_FALSE(shorten({.text = *out}, how));
    }
    CHECK(cuts > 1'000);
}

TEST_CASE("head_tail: what replaces ill-formed bytes does not make a text longer") {
    std::string junk(1'000, '\xFF');  // scrubbed 3,000 bytes
    CHECK_FALSE(condense::head_tail{.head = 400_chars, .tail = 400_chars}({.text = junk}, {}));
    auto const shorter = condense::head_tail{.head = 50_chars, .tail = 50_chars}({.text = junk}, {});
    REQUIRE(shorter);
    CHECK(shorter->size() < junk.size());
}

TEST_CASE("head_tail: cut again, it speaks of the first text") {
    auto const text = lines(2'000, "some line") + std::string(400, 'y');
    auto const again = [](std::string const& given, unsigned halvings, head_tail const& shorten,
                          bool shortened = false) {
        return shorten({.text = given}, {.halvings = halvings, .how = {.shortened = shortened}}).value();
    };
    head_tail const by_chars{1'005_chars, 1'003_chars};
    auto const once = again(text, 0, by_chars);
    CHECK(occurrences(once, "[... 18,392 of 20,400 characters omitted ...]") == 1);
    auto const twice = again(once, 1, by_chars);
    CHECK(occurrences(twice, "[... ") == 1);
    CHECK(occurrences(twice, "[... 19,397 of 20,400 characters omitted ...]") == 1);  // 502 + 501 are left
    CHECK(occurrences(again(twice, 3, by_chars), " of 20,400 characters omitted ...]") == 1);
    head_tail const lines_of_ends{20_lines, 20_lines};
    auto const lined = again(lines(2'000, "some line"), 0, lines_of_ends);
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
    CHECK(occurrences(again(text, 0, by_chars, true), "[... 18,392 of the remaining 20,400 characters omitted ...]") ==
          1);
    auto forged = once;
    forged.replace(forged.find("20,400"), 6, "99,999");
    CHECK(occurrences(again(forged, 1, by_chars), "99,999") == 0);
}

TEST_CASE("head_tail: the marker says the original's type and what is left of it, where that is asked for",
          "[row-C3]") {
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
    CHECK(occurrences(cut(head{.keep = 500_chars}, std::string(50'000, 'x'), asked),
                      "[... 49,500 of 50,000 characters omitted; text, 1 % left ...]") == 1);
    // What is not known is not said: how large the original was, and what it was.
    auto const across = cut(head_tail{.head = 400_chars, .tail = 400_chars}, once, rest);
    CHECK(occurrences(across, " of the remaining ") == 1);
    CHECK(occurrences(across, "characters omitted; json ...]") == 1);
    CHECK(occurrences(cut(by_lines, rows, rest), "of the remaining 402 lines omitted ...]") == 1);
    CHECK(occurrences(cut(by_lines, rows), " left ...]") == 0);
}
