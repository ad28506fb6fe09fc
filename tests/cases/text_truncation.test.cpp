// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: what the shorteners that keep the ends of a text make of it.

#include "cases/runs.hpp"

namespace {

using namespace cases;

template <class Shortener>
std::optional<std::string> cut(Shortener const& shorten, std::string_view text) {
    shorten.validate();
    return shorten({.kind = part_kind::tool_result, .text = text}, {});
}

/// What a layer with this shortener makes of a tool result over `over`.
template <class Shortener>
std::string compressed(condense::text_limit over, Shortener const& shorten, std::string text) {
    auto const left = cases::after({U(), C("1"), R("1", std::move(text)), A()},
                                   compress{.when = always, .protect = nothing, .over = over, .with = shorten});
    return text_of(left[2]);
}

/// Lines with these contents, the last one without end.
std::string lines(std::size_t count, std::string const& content) {
    std::string out = content;
    while (--count != 0) out += '\n' + content;
    return out;
}

std::string marker_of(std::string_view text) {
    auto const begin = text.find("[... ");
    auto const end = text.find(" ...]");
    REQUIRE(begin != std::string_view::npos);
    REQUIRE(end != std::string_view::npos);
    CHECK(occurrences(text, "[... ") == 1u);
    return std::string{text.substr(begin, end + 5 - begin)};
}

head_tail const both_limits{.head = 128_lines, .tail = 128_lines, .at_most = 10'240_bytes};

TEST_CASE("both ends of too many lines are kept", "[case-28]") {
    auto text = lines(300, "test line");
    CHECK(text.size() == 2'999u);
    text.replace(0, 9, "the first");
    text.replace(text.size() - 9, 9, "the final");
    auto const shorter = compressed(256_lines && 10'240_bytes, both_limits, text);
    CHECK(shorter.find("the first\n") == 0u);
    CHECK(shorter.rfind("\nthe final") == shorter.size() - 10);
    CHECK(contains(marker_of(shorter), "44 of 300 lines"));
    CHECK(occurrences(shorter, "test line") == 254u);
}

TEST_CASE("either limit suffices", "[case-30]") {
    auto const text = lines(5'000, "x");
    CHECK(text.size() < 10'240u);
    auto const shorter = compressed(256_lines && 10'240_bytes, both_limits, text);
    CHECK(contains(marker_of(shorter), "4,744 of 5,000 lines"));
    CHECK(occurrences(shorter, "x") == 256u);
    CHECK(condense::detail::count_lines(shorter) == 257u);
}

TEST_CASE("no line of a few long ones occurs twice", "[case-31]") {
    std::string text;
    for (char which = 'a'; which < 'k'; ++which) text += letters(2'000, which) + (which == 'j' ? "" : "\n");
    auto const shorter = compressed(10'240_bytes, both_limits, text);
    CHECK(shorter.size() <= 10'240u);
    CHECK(shorter.size() > 9'000u);
    CHECK(shorter.front() == 'a');
    CHECK(shorter.back() == 'j');
    auto const marker = marker_of(shorter);
    auto const at = shorter.find(marker);
    CHECK(text.compare(0, at - 1, shorter, 0, at - 1) == 0);
    auto const rest = shorter.substr(at + marker.size() + 1);
    CHECK(text.compare(text.size() - rest.size(), rest.size(), rest) == 0);
    CHECK(at - 1 + rest.size() < text.size());
    auto const missing = condense::detail::grouped(text.size() - (at - 1) - rest.size());
    CHECK(contains(marker, missing + " of 20,009 characters"));
}

TEST_CASE("one long line is cut by bytes", "[case-33]") {
    auto const shorter = compressed(
        10'000_bytes, head_tail{.head = 50_lines, .tail = 20_lines, .at_most = 10'000_bytes}, letters(100'000));
    CHECK(shorter.size() <= 10'000u);
    CHECK(shorter.size() > 9'000u);
    CHECK(contains(marker_of(shorter), " of 100,000 characters"));
}

TEST_CASE("head and tail are kept and what is missing is told", "[case-35]") {
    auto const shorter =
        cut(head_tail{.head = 200_chars, .tail = 200_chars}, letters(200, 'P') + letters(500, 'M') + letters(200, 'S'));
    REQUIRE(shorter);
    CHECK(shorter->find(letters(200, 'P') + "\n[") == 0u);
    CHECK(shorter->rfind("]\n" + letters(200, 'S')) == shorter->size() - 202);
    CHECK(contains(marker_of(*shorter), "500 of 900 characters"));
    CHECK_FALSE(contains(*shorter, "M"));
}

TEST_CASE("a text that both ends cover is unchanged", "[case-36]") {
    head_tail const shorten{.head = 200_chars, .tail = 200_chars};
    CHECK_FALSE(cut(shorten, letters(400)));
    for (std::size_t size = 401; size < 700; ++size) {
        auto const shorter = cut(shorten, letters(size));
        if (shorter) CHECK(shorter->size() < size);
        if (size == 401) CHECK_FALSE(shorter);
    }
    CHECK(cut(shorten, letters(700)));
}

TEST_CASE("a marker never makes a text longer", "[case-38]") {
    auto const text = letters(2'001);
    for (auto const& shorter : {cut(head{.keep = 2'000_chars}, text), cut(head{.at_most = 2'000_chars}, text),
                                cut(head_tail{.head = 1'000_chars, .tail = 1'000_chars}, text),
                                cut(head_tail{.head = 1'000_chars, .tail = 1'000_chars, .at_most = 2'000_bytes}, text)})
        CHECK(shorter.value_or(text).size() <= text.size());
    CHECK(cut(head{.at_most = 2'000_chars}, text));
}

TEST_CASE("the beginning is kept and the whole size is told", "[case-40]") {
    auto const shorter = cut(head{.keep = 100_chars}, letters(500));
    REQUIRE(shorter);
    auto const marker = marker_of(*shorter);
    CHECK(contains(marker, "400 of 500 characters"));
    CHECK(*shorter == letters(100) + "\n" + marker);
    CHECK_FALSE(cut(head{.keep = 100_chars}, letters(100)));
}

TEST_CASE("what is over the gate shrinks by a good deal", "[case-51]") {
    CHECK(compressed(10'000_chars, head_tail{}, letters(20'000)).size() <= 14'000u);
    CHECK(compressed(10'000_chars, head_tail{}, letters(1'000'000)).size() < 10'000u);
    CHECK(compressed(10'000_chars, head_tail{}, letters(10'000)) == letters(10'000));
}

TEST_CASE("a text that was cut is not cut again", "[case-T32]") {
    for (auto const& text : {lines(600, "test line"), letters(30'000), lines(9, letters(2'500))}) {
        auto const once = compressed(256_lines && 10'240_bytes, both_limits, text);
        CHECK(once != text);
        CHECK(compressed(256_lines && 10'240_bytes, both_limits, once) == once);
    }
}

// Sizes of the case times 100.
TEST_CASE("a byte budget is met and kept and removed add up", "[case-T34]") {
    auto const shorter = cut(head{.keep = 100_bytes}, letters(1'400));
    REQUIRE(shorter);
    auto const marker = marker_of(*shorter);
    CHECK(contains(marker, "1,300 of 1,400 characters"));
    CHECK(*shorter == letters(100) + "\n" + marker);
}

// Ten tokens of four bytes, times 100.
TEST_CASE("a budget above the size changes nothing", "[case-T35]") {
    CHECK_FALSE(cut(head{.keep = 4'000_bytes}, letters(1'400)));
    CHECK_FALSE(cut(head_tail{.head = 2'000_bytes, .tail = 2'000_bytes, .at_most = 4'000_bytes}, letters(1'400)));
}

// Sizes of the case times 100, with a head that ends inside an emoji.
TEST_CASE("only whole code points survive a cut by bytes", "[case-T37]") {
    auto const text = repeated("\xF0\x9F\x98\x80", 1'000) + letters(2'300);
    auto const shorter = cut(head_tail{.head = 1'002_bytes, .tail = 1'000_bytes}, text);
    REQUIRE(shorter);
    CHECK(condense::detail::utf8::valid(*shorter));
    CHECK(occurrences(*shorter, "\xF0\x9F\x98\x80") == 250u);
    CHECK(contains(marker_of(*shorter), "2,050 of 3,300 characters"));
    auto const backward =
        cut(head_tail{.head = 1'000_bytes, .tail = 1'002_bytes}, letters(2'300) + repeated("\xF0\x9F\x98\x80", 1'000));
    REQUIRE(backward);
    CHECK(condense::detail::utf8::valid(*backward));
    CHECK(occurrences(*backward, "\xF0\x9F\x98\x80") == 250u);
    CHECK(contains(marker_of(*backward), "2,050 of 3,300 characters"));
}

// 25,000 tokens of four characters.
TEST_CASE("JSON of one line is cut though it has few lines", "[case-175]") {
    auto const text = "{\"a\":\"" + letters(1'000'000) + "\"}";
    CHECK(text.size() == 1'000'008u);
    auto const shorter =
        compressed(100'000_chars, head_tail{.head = 50_lines, .tail = 20_lines, .at_most = 100'000_chars}, text);
    CHECK(shorter.size() <= 100'000u);
    CHECK(contains(marker_of(shorter), " of 1,000,008 characters"));
}

std::string collapsed(std::string_view text) {
    auto const shorter = condense::collapse_repeats{}({.kind = part_kind::text, .text = text}, {});
    return shorter.value_or(std::string{text});
}

TEST_CASE("a sentence that is repeated is left once", "[case-168]") {
    std::string const sentence = "I have looked at all of the files you asked for.";
    conversation before{U()};
    for (int answer = 0; answer < 5; ++answer) before += {A("Answer " + std::to_string(answer)), U()};
    std::string loop = sentence;
    for (int again = 1; again < 100; ++again) loop += " " + sentence;
    before.push_back(A(loop));
    auto const left = cases::after(before, compress{.when = always, .with = condense::collapse_repeats{}});
    REQUIRE(left.size() == before.size());
    for (std::size_t index = 0; index + 1 < before.size(); ++index) CHECK(left[index] == before[index]);
    CHECK(text_of(left.back()).size() < 100u);
    CHECK(contains(text_of(left.back()), sentence));
    CHECK(contains(text_of(left.back()), "99 more times"));

    CHECK(collapsed("A B A B") == "A B");
    CHECK(collapsed("hello world hello world tail") == "hello world hello world tail");
    CHECK(collapsed("foo bar foo bar foo bar") == "foo bar");
    CHECK(collapsed("привет мир привет мир привет мир") == "привет мир");
    CHECK(collapsed("привет мир привет мир хвост") == "привет мир привет мир хвост");
}

}  // namespace
