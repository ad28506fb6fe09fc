// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/salient_lines.hpp>

#include <condense/layer/offload.hpp>

#include "support/catch.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using condense::salient_lines, fakes::contains, fakes::occurrences, fakes::repeated;

static_assert(condense::shortener<salient_lines>);

std::string shortened(salient_lines const& shorten, std::string_view text, condense::cut how = {}) {
    return shorten({.text = text}, how).value_or("");
}
/// A thousand lines, of which every hundredth names something.
std::string listing() {
    std::string text = "first line\n";
    for (int line = 1; line < 1'000; ++line)
        text += line % 100 == 0 ? "    auto x = call_" + std::to_string(line) + "(order);\n"
                                : "    // what the caller has to know of this\n";
    return text + "last line";
}

constexpr bool a_text_is_shortened_at_compile_time() {
    std::string text = "first\n";
    for (int line = 0; line < 40; ++line) text += line == 20 ? "call parse_json now\n" : "nothing is said here\n";
    salient_lines const shorten{.head = 6_chars, .tail = 0_chars, .at_most = 400_bytes};
    auto const result = shorten({.text = text}, {});
    return result && result->find("first\n[... 20 lines omitted, 39 of 41 in all") == 0 &&
           result->find("call parse_json now\n[... 19 lines omitted ...]\n") != std::string::npos;
}
#if !defined(__clang__) && !defined(_GLIBCXX_ASSERTIONS)  // libstdc++ 12 has no strings there with either
static_assert(a_text_is_shortened_at_compile_time());
#endif

}  // namespace

TEST_CASE("salient_lines: keeps both ends and the lines with names, in their order") {
    auto const result = shortened({.head = 20_chars, .tail = 20_chars, .at_most = 1'000_chars}, listing());
    CHECK(result.starts_with("first line\n[... 99 lines omitted, 990 of 1,001 in all"));
    CHECK(result.ends_with("\nlast line"));
    std::size_t place = 0;
    for (int line = 100; line < 1'000; line += 100) {
        auto const next = result.find("call_" + std::to_string(line), place);
        REQUIRE(next != std::string::npos);
        place = next;
    }
    CHECK(contains(result, "\n[... 99 lines omitted ...]\n"));
    CHECK(result.size() <= 1'000);
    CHECK(a_text_is_shortened_at_compile_time());
}

TEST_CASE("salient_lines: of lines with names those that say more in fewer bytes, and nothing twice") {
    auto const filler = repeated("nothing to name here, and much to read about it all the same\n", 100);
    auto const text =
        filler + "parse_json(readFile(order_id))\n" +
        "there is a long line that goes on and on until it names parse_xml, and then it goes on a little more\n" +
        "parse_json(readFile(order_id))\n" + filler;
    auto const result = shortened({.head = 0_chars, .tail = 0_chars, .at_most = 400_bytes}, text);
    CHECK(contains(result, "parse_json(readFile(order_id))\n"));
    CHECK(result.find("parse_json") == result.rfind("parse_json"));
    auto const more = shortened({.head = 0_chars, .tail = 0_chars, .at_most = 900_bytes}, text);
    CHECK(contains(more, "parse_xml"));
}

TEST_CASE("salient_lines: says once where the rest is, and a second cut counts what the first one left out") {
    condense::reference const name{{255}};
    auto const result = shortened({.at_most = 1'000_chars}, listing(), {.how = {.stored = name}});
    auto const first = result.find("the whole is stored as " + std::string{name.text()});
    CHECK(first != std::string::npos);
    CHECK(result.rfind("the whole is stored as") == first);
    auto const once = shortened({.at_most = 2'000_chars}, listing());
    auto const second =
        shortened({.head = 20_chars, .tail = 20_chars, .at_most = 400_chars}, once, {.how = {.shortened = true}});
    CHECK(contains(second, " of 1,001 in all"));
    CHECK(second.size() <= 400);
    CHECK(occurrences(second, "[... ") <= occurrences(second, "\n"));
}

TEST_CASE("salient_lines: leaves alone what fits, and keeps the ends of what is one line") {
    CHECK_FALSE(salient_lines{}({.text = std::string(8'000, 'x')}, {}));
    auto const one = shortened({.at_most = 1'000_chars}, std::string(20'000, 'x'));
    CHECK(one.starts_with("xxxx"));
    CHECK(one.ends_with("xxxx"));
    CHECK(contains(one, " of 20,000 characters omitted"));
    // Lines without names are kept nowhere but at the ends, and a long line not at all.
    auto const text = std::string(5'000, 'y') + "\n" + repeated("plain words\n", 1'000);
    auto const plain = shortened({.head = 100_chars, .tail = 24_chars, .at_most = 1'000_chars}, text);
    CHECK(plain == "[... 999 of 1,001 lines omitted ...]\nplain words\nplain words\n");
}

TEST_CASE("salient_lines: shares of the window, halved under pressure; a limit that leaves room for a marker") {
    salient_lines const half{.head = 5_pct, .tail = 5_pct, .at_most = 48_pct};
    CHECK_FALSE(half({.text = listing()}, {}));  // of no window there is no share
    auto const size = [&](unsigned halvings) {
        return shortened(half, listing(), {.halvings = halvings, .window = 10'000_bytes}).size();
    };
    CHECK(size(0) <= 4'800);
    CHECK(size(1) <= 2'400);
    CHECK(size(1) > 384);
    CHECK_THROWS_AS(salient_lines{.at_most = condense::text_limit{}}.validate(), condense::invalid_configuration);
    CHECK_THROWS_AS(salient_lines{.at_most = 100_chars}.validate(), condense::invalid_configuration);
    CHECK_NOTHROW(salient_lines{.at_most = 48_pct}.validate());
}
