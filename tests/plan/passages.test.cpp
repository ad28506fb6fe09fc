// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/passages.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <condense/detail/saturate.hpp>
#include <condense/detail/utf8.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/repetition.hpp"

namespace {

using condense::detail::each_unit;
using condense::detail::unit_end;
using condense::detail::unit_least;
using condense::detail::unit_most;
using condense::detail::unit_target;

/// A text in which one byte stands over and over, and others at some places.
struct canvas {
    char bytes[1'024] = {};

    constexpr explicit canvas(char fill) {
        for (char& byte : bytes) byte = fill;
    }
    constexpr canvas& put(std::size_t at, std::string_view text) {
        for (std::size_t index = 0; index < text.size(); ++index) bytes[at + index] = text[index];
        return *this;
    }
    constexpr std::size_t end(std::size_t size = sizeof bytes) const { return unit_end({bytes, size}, 0); }
};

constexpr bool lines_are_taken_together_up_to_the_target() {
    return canvas{'x'}.put(99, "\n").put(199, "\n").put(299, "\n").end() == 200 &&
           canvas{'x'}.put(99, "\n").put(239, "\n").end() == 240 &&
           canvas{'x'}.put(99, "\n").put(240, "\n").end() == 100 && canvas{'x'}.put(99, "\n").end(150) == 150;
}
static_assert(lines_are_taken_together_up_to_the_target());

constexpr bool an_empty_line_ends_a_passage_that_is_long_enough() {
    return canvas{'x'}.put(79, "\n\n").put(120, "\n").end() == 81 &&
           canvas{'x'}.put(78, "\r\n\r\n").put(120, "\n").end() == 82 &&
           canvas{'x'}.put(9, "\n\n").put(120, "\n").end() == 121 && canvas{'\n'}.end() == 60;
}
static_assert(an_empty_line_ends_a_passage_that_is_long_enough());

constexpr bool a_line_is_whole_up_to_the_most() {
    return canvas{'x'}.put(479, "\n").end() == 480 && canvas{'x'}.put(100, " ").put(479, "\n").end() == 480 &&
           canvas{'x'}.end(480) == 480 && canvas{'x'}.end(481) == 480;
}
static_assert(a_line_is_whole_up_to_the_most());

constexpr bool a_longer_line_is_cut_behind_elements_of_json() {
    return canvas{'x'}.put(100, "},").put(150, "],").put(200, ", ").put(210, "y. ").end() == 152 &&
           canvas{'x'}.put(300, "},").put(400, "},").put(200, ",").end() == 302 &&
           canvas{'x'}.put(20, "},").put(479, "},").put(200, ",").end() == 201;  // too near to the ends
}
static_assert(a_longer_line_is_cut_behind_elements_of_json());

constexpr bool else_behind_a_sentence_a_comma_or_a_word() {
    return canvas{'x'}.put(100, ". ").put(150, ",").put(200, " ").end() == 102 &&
           canvas{'x'}.put(100, "? ").put(130, ".5").put(200, " ").end() == 102 &&
           canvas{'x'}.put(150, ",").put(200, " ").end() == 151 &&
           canvas{'x'}.put(100, " ").put(200, "\t").end() == 201 &&
           canvas{'x'}.put(300, ";").put(400, "|").end() == 301;
}
static_assert(else_behind_a_sentence_a_comma_or_a_word());

constexpr bool else_between_characters() {
    return canvas{'x'}.put(478, "\xE2\x82\xAC").end() == 478 && canvas{'x'}.put(477, "\xE2\x82\xAC").end() == 480 &&
           canvas{'x'}.put(479, "\xF0\x9F\x98\x80").end() == 479 && canvas{'\x80'}.end() == 480;
}
static_assert(else_between_characters());

/// Lines of given indentations and sizes.
struct page {
    char bytes[2'048] = {};
    std::size_t size = 0;

    constexpr page& put(std::size_t indent, std::size_t line_size, std::size_t times = 1, char first = 'x') {
        for (; times != 0; --times)
            for (std::size_t at = 0; at < line_size; ++at)
                bytes[size++] = at < indent ? ' ' : at + 1 == line_size ? '\n' : at == indent ? first : 'x';
        return *this;
    }
    constexpr std::size_t end() const { return unit_end({bytes, size}, 0); }
};

constexpr bool a_block_is_whole_up_to_the_most() {
    return page{}.put(0, 9).put(4, 50, 8).put(0, 9).put(4, 50, 8).end() == 409 &&
           page{}.put(0, 9).put(4, 50, 8).put(0, 2, 1, '}').put(0, 9).put(4, 50, 8).end() == 411 &&
           page{}.put(4, 9).put(8, 50, 9).put(0, 9).end() == 459 && page{}.put(0, 9).put(4, 50, 20).end() == 209;
}
static_assert(a_block_is_whole_up_to_the_most());

constexpr bool a_longer_one_is_cut_before_the_least_indented_line() {
    return page{}.put(0, 9).put(4, 50).put(8, 50, 2).put(4, 50).put(8, 50, 20).end() == 159 &&
           page{}.put(0, 9).put(4, 50).put(8, 50, 2).put(4, 50, 1, ')').put(8, 50, 20).end() == 209 &&
           page{}.put(0, 70).put(0, 70).put(4, 70).put(4, 70).end() == 70;
}
static_assert(a_longer_one_is_cut_before_the_least_indented_line());

/// A constant expression may not read past an array: so little is read of a text that is said to be long.
constexpr std::size_t end_in_long_text(std::size_t line_break) {
    char bytes[3 * unit_target] = {};
    for (char& byte : bytes) byte = 'x';
    bytes[line_break] = '\n';
    return unit_end({bytes, std::size_t{1} << 30}, 0);
}
static_assert(end_in_long_text(0) == 1 && end_in_long_text(unit_target - 2) == unit_target - 1);
static_assert(end_in_long_text(unit_most - 1) == unit_most && end_in_long_text(unit_most + 1) == unit_most);

/// Requires what holds of the passages of any text; returns their number.
std::size_t check(std::string_view text) {
    std::size_t next = 0;
    std::size_t count = 0;
    each_unit(text, [&](std::size_t offset, std::size_t size) {
        REQUIRE(offset == next);
        REQUIRE(size > 0);
        REQUIRE(size <= unit_most);
        next = offset + size;
        REQUIRE(condense::utf8::floor(text, next) == next);
        ++count;
    });
    REQUIRE(next == text.size());
    REQUIRE(count <= text.size() / unit_least + 1);
    return count;
}

}  // namespace

TEST_CASE("passages: lines are taken together") {
    CHECK(lines_are_taken_together_up_to_the_target());
    CHECK(an_empty_line_ends_a_passage_that_is_long_enough());
    CHECK(a_line_is_whole_up_to_the_most());
    CHECK(a_block_is_whole_up_to_the_most());
    CHECK(a_longer_one_is_cut_before_the_least_indented_line());
    CHECK(check("") == 0);
    CHECK(check("\n") == 1);
    CHECK(check("one\ntwo") == 1);
}

TEST_CASE("passages: longer lines are cut where they can be") {
    CHECK(a_longer_line_is_cut_behind_elements_of_json());
    CHECK(else_behind_a_sentence_a_comma_or_a_word());
    CHECK(else_between_characters());
}

TEST_CASE("passages: of an array of JSON on one line each holds whole elements") {
    std::string json = "[";
    for (int each = 0; each < 500; ++each)
        json += (each == 0 ? "" : ",") + std::string{"{\"id\":"} + std::to_string(each) + ",\"name\":\"n " +
                std::string(static_cast<std::size_t>(each % 90), 'x') + "\"}";
    json += "]";
    std::size_t count = 0;
    each_unit(json, [&](std::size_t offset, std::size_t size) {
        CHECK(json[offset + (offset == 0 ? 1 : 0)] == '{');
        CHECK(json[offset + size - 2] == '}');
        ++count;
    });
    CHECK(count > 100);
}

TEST_CASE("passages: any text is covered without gaps, at characters, by pieces of bounded sizes") {
    constexpr std::string_view pieces[] = {"\n",
                                           "\n\n",
                                           "\n    ",
                                           "\n  }",
                                           "\n\t",
                                           "\r\n",
                                           " ",
                                           ". ",
                                           ",",
                                           "},",
                                           "],",
                                           "word",
                                           "\t",
                                           "\xFF",
                                           "\x80",
                                           "\xC3\xA4",
                                           "\xE2\x82\xAC",
                                           "\xE2\x82",
                                           "\xF0\x9F\x98\x80",
                                           "\\n"};
    std::uint64_t state = 11;
    auto const next = [&](std::size_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return condense::detail::as_size(state >> 33) % below;
    };
    std::size_t cut = 0;
    for (std::uint64_t round = 0; round < rounds(10'000); ++round) {
        CAPTURE(round);
        std::string text;
        // Some kinds of pieces alone, so that there are long lines, and lines of nothing else.
        auto const kinds = 1 + next(std::size(pieces));
        auto const first = next(std::size(pieces));
        for (auto left = next(1'000); left != 0; --left) {
            auto const piece = pieces[(first + next(kinds)) % std::size(pieces)];
            text += next(20) == 0 ? repeated(piece, next(700)) : std::string{piece};
        }
        cut += check(text) > 1 ? 1u : 0u;
    }
    CHECK(cut > rounds(10'000) / 2);
}

TEST_CASE("passages: their number is bounded by the text's size, whatever it is") {
    auto const size = condense::detail::as_size(rounds(std::uint64_t{4} << 20));
    for (std::string_view const piece :
         {"a", "./-:", "_", "\"\\", "\xFF", "\xE4\xB8\xAD", "\n", "\r\n", "a\n", "},", ". "}) {
        CAPTURE(piece);
        CHECK(check(repeated(piece, size)) >= size / unit_most);
    }
    // A short line before each long one.
    CHECK(check(repeated("a\n" + std::string(239, 'x') + "\n", size)) <= 2 * size / 240);
    CHECK(check(repeated("a\n\n" + std::string(485, 'x') + "\n\n", size)) <= 4 * size / 240);
}
