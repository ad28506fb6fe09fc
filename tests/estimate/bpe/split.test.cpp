// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/split.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "support/catch.hpp"

// What the patterns of the encodings match in these texts, by the regex module of Python; `end` ends each text's.

namespace {

using namespace std::string_view_literals;
using condense::split_scheme;
using condense::detail::bpe::splitter;

constexpr auto end = "\n(end)"sv;

constexpr std::string_view cl100k_pieces[] = {
    "Hello"sv, ","sv, " world"sv, end, "I"sv, "'M"sv, " don"sv, "'t"sv, " we"sv, "'ll"sv, " o"sv, "'clock"sv,
    end, "'s"sv, "and"sv, " ''"sv, "s"sv, " '"sv, "s"sv, end, "it"sv, "'\xC5\xBF"sv, " it"sv, "'\xE2\x84\xAA"sv,
    end, "HTTPServer"sv, " camelCase"sv, " ABC"sv, end, "x"sv, "'t"sv, "'s"sv, "'t"sv, end, "x"sv, "'t"sv,
    "IS"sv, " x"sv, "'LL"sv, "a"sv, end, "123"sv, "45"sv, " "sv, "1"sv, " "sv, "23"sv, end,
    "\xC2\xB2\xC2\xBD\xE2\x91\xA0"sv, "\xE0\xA5\xA7"sv, end, "a"sv, " "sv, " b"sv, "  "sv, " c"sv, end, " \n"sv,
    " "sv, " x"sv, end, "x"sv, " \n \n  "sv, end, "x"sv, "   "sv, end, "\n\n\n"sv, end, "a"sv, "\r\n\r\n"sv,
    "b"sv, end, "!\n"sv, "/!/\n"sv, "//"sv, "a"sv, end, "foo"sv, ".bar"sv, " .."sv, "x"sv, " ."sv, "y"sv, end,
    "!?"sv, "a"sv, " ("sv, "b"sv, ")"sv, end, "\xCC\x81""A"sv, " \xCC\x81"sv, "AB"sv, " \xCC\x81"sv, "a"sv,
    " A"sv, "\xCC\x81""b"sv, end, "!!\xCC\x81"sv, "a"sv, end, "\xCA\xB0""A\xE4\xB8\xAD""BC"sv, end,
    "\xC7\x85ungla"sv, end, "\xC2\x85"sv, "\xC2\x85""a"sv, end, "\xEF\xBB\xBF""a"sv, end, "\xC2\xA0x"sv,
    "\xE3\x80\x80"sv, "!"sv, end, "\xE2\x80\x8Bx"sv, end, "\t"sv, "\tfoo"sv, end, "1"sv, " "sv, "2"sv, "\t"sv,
    "3"sv, end, " !\r\n"sv, " x"sv, end, "\xE4\xBD\xA0\xE5\xA5\xBD"sv, "\xEF\xBC\x8C\xE4\xB8\x96\xE7\x95\x8C"sv,
    end, "na\xC3\xAFve"sv, " \xD0\x9F\xD1\x80\xD0\x98\xD0\xB2"sv, end, " '"sv, "s"sv, " '"sv, "l"sv, end,
    "/a"sv, " //"sv, "b"sv, end, "a"sv, "\x00""b"sv, "\x1C""c"sv, end,
};
constexpr std::string_view o200k_pieces[] = {
    "Hello"sv, ","sv, " world"sv, end, "I'M"sv, " don't"sv, " we'll"sv, " o"sv, "'clock"sv, end, "'sand"sv,
    " ''"sv, "s"sv, " '"sv, "s"sv, end, "it'\xC5\xBF"sv, " it"sv, "'\xE2\x84\xAA"sv, end, "HTTPServer"sv,
    " camel"sv, "Case"sv, " ABC"sv, end, "x't"sv, "'s't"sv, end, "x't"sv, "IS"sv, " x'LL"sv, "a"sv, end,
    "123"sv, "45"sv, " "sv, "1"sv, " "sv, "23"sv, end, "\xC2\xB2\xC2\xBD\xE2\x91\xA0"sv, "\xE0\xA5\xA7"sv, end,
    "a"sv, " "sv, " b"sv, "  "sv, " c"sv, end, " \n"sv, " "sv, " x"sv, end, "x"sv, " \n \n"sv, "  "sv, end,
    "x"sv, "   "sv, end, "\n\n\n"sv, end, "a"sv, "\r\n\r\n"sv, "b"sv, end, "!\n/"sv, "!/\n//"sv, "a"sv, end,
    "foo"sv, ".bar"sv, " .."sv, "x"sv, " ."sv, "y"sv, end, "!?"sv, "a"sv, " ("sv, "b"sv, ")"sv, end,
    "\xCC\x81"sv, "A"sv, " \xCC\x81"sv, "AB"sv, " \xCC\x81""a"sv, " A\xCC\x81""b"sv, end, "!!\xCC\x81"sv, "a"sv,
    end, "\xCA\xB0""A\xE4\xB8\xAD"sv, "BC"sv, end, "\xC7\x85ungla"sv, end, "\xC2\x85"sv, "\xC2\x85""a"sv, end,
    "\xEF\xBB\xBF""a"sv, end, "\xC2\xA0x"sv, "\xE3\x80\x80"sv, "!"sv, end, "\xE2\x80\x8Bx"sv, end, "\t"sv,
    "\tfoo"sv, end, "1"sv, " "sv, "2"sv, "\t"sv, "3"sv, end, " !\r\n"sv, " x"sv, end,
    "\xE4\xBD\xA0\xE5\xA5\xBD"sv, "\xEF\xBC\x8C\xE4\xB8\x96\xE7\x95\x8C"sv, end, "na\xC3\xAFve"sv,
    " \xD0\x9F\xD1\x80"sv, "\xD0\x98\xD0\xB2"sv, end, " '"sv, "s"sv, " '"sv, "l"sv, end, "/a"sv, " //"sv, "b"sv,
    end, "a"sv, "\x00""b"sv, "\x1C""c"sv, end,
};
constexpr std::string_view llama3_pieces[] = {
    "Hello"sv, ","sv, " world"sv, end, "I"sv, "'M"sv, " don"sv, "'t"sv, " we"sv, "'ll"sv, " o"sv, "'clock"sv,
    end, "'s"sv, "and"sv, " ''"sv, "s"sv, " '"sv, "s"sv, end, "it"sv, "'\xC5\xBF"sv, " it"sv, "'\xE2\x84\xAA"sv,
    end, "HTTPServer"sv, " camelCase"sv, " ABC"sv, end, "x"sv, "'t"sv, "'s"sv, "'t"sv, end, "x"sv, "'t"sv,
    "IS"sv, " x"sv, "'LL"sv, "a"sv, end, "123"sv, "45"sv, " "sv, "1"sv, " "sv, "23"sv, end,
    "\xC2\xB2\xC2\xBD\xE2\x91\xA0"sv, "\xE0\xA5\xA7"sv, end, "a"sv, " "sv, " b"sv, "  "sv, " c"sv, end, " \n"sv,
    " "sv, " x"sv, end, "x"sv, " \n \n"sv, "  "sv, end, "x"sv, "   "sv, end, "\n\n\n"sv, end, "a"sv,
    "\r\n\r\n"sv, "b"sv, end, "!\n"sv, "/!/\n"sv, "//"sv, "a"sv, end, "foo"sv, ".bar"sv, " .."sv, "x"sv, " ."sv,
    "y"sv, end, "!?"sv, "a"sv, " ("sv, "b"sv, ")"sv, end, "\xCC\x81""A"sv, " \xCC\x81"sv, "AB"sv, " \xCC\x81"sv,
    "a"sv, " A"sv, "\xCC\x81""b"sv, end, "!!\xCC\x81"sv, "a"sv, end, "\xCA\xB0""A\xE4\xB8\xAD""BC"sv, end,
    "\xC7\x85ungla"sv, end, "\xC2\x85"sv, "\xC2\x85""a"sv, end, "\xEF\xBB\xBF""a"sv, end, "\xC2\xA0x"sv,
    "\xE3\x80\x80"sv, "!"sv, end, "\xE2\x80\x8Bx"sv, end, "\t"sv, "\tfoo"sv, end, "1"sv, " "sv, "2"sv, "\t"sv,
    "3"sv, end, " !\r\n"sv, " x"sv, end, "\xE4\xBD\xA0\xE5\xA5\xBD"sv, "\xEF\xBC\x8C\xE4\xB8\x96\xE7\x95\x8C"sv,
    end, "na\xC3\xAFve"sv, " \xD0\x9F\xD1\x80\xD0\x98\xD0\xB2"sv, end, " '"sv, "s"sv, " '"sv, "l"sv, end,
    "/a"sv, " //"sv, "b"sv, end, "a"sv, "\x00""b"sv, "\x1C""c"sv, end,
};
constexpr std::string_view qwen_pieces[] = {
    "Hello"sv, ","sv, " world"sv, end, "I"sv, "'M"sv, " don"sv, "'t"sv, " we"sv, "'ll"sv, " o"sv, "'clock"sv,
    end, "'s"sv, "and"sv, " ''"sv, "s"sv, " '"sv, "s"sv, end, "it"sv, "'\xC5\xBF"sv, " it"sv, "'\xE2\x84\xAA"sv,
    end, "HTTPServer"sv, " camelCase"sv, " ABC"sv, end, "x"sv, "'t"sv, "'s"sv, "'t"sv, end, "x"sv, "'t"sv,
    "IS"sv, " x"sv, "'LL"sv, "a"sv, end, "1"sv, "2"sv, "3"sv, "4"sv, "5"sv, " "sv, "1"sv, " "sv, "2"sv, "3"sv,
    end, "\xC2\xB2"sv, "\xC2\xBD"sv, "\xE2\x91\xA0"sv, "\xE0\xA5\xA7"sv, end, "a"sv, " "sv, " b"sv, "  "sv,
    " c"sv, end, " \n"sv, " "sv, " x"sv, end, "x"sv, " \n \n"sv, "  "sv, end, "x"sv, "   "sv, end, "\n\n\n"sv,
    end, "a"sv, "\r\n\r\n"sv, "b"sv, end, "!\n"sv, "/!/\n"sv, "//"sv, "a"sv, end, "foo"sv, ".bar"sv, " .."sv,
    "x"sv, " ."sv, "y"sv, end, "!?"sv, "a"sv, " ("sv, "b"sv, ")"sv, end, "\xCC\x81""A"sv, " \xCC\x81"sv, "AB"sv,
    " \xCC\x81"sv, "a"sv, " A"sv, "\xCC\x81""b"sv, end, "!!\xCC\x81"sv, "a"sv, end,
    "\xCA\xB0""A\xE4\xB8\xAD""BC"sv, end, "\xC7\x85ungla"sv, end, "\xC2\x85"sv, "\xC2\x85""a"sv, end,
    "\xEF\xBB\xBF""a"sv, end, "\xC2\xA0x"sv, "\xE3\x80\x80"sv, "!"sv, end, "\xE2\x80\x8Bx"sv, end, "\t"sv,
    "\tfoo"sv, end, "1"sv, " "sv, "2"sv, "\t"sv, "3"sv, end, " !\r\n"sv, " x"sv, end,
    "\xE4\xBD\xA0\xE5\xA5\xBD"sv, "\xEF\xBC\x8C\xE4\xB8\x96\xE7\x95\x8C"sv, end, "na\xC3\xAFve"sv,
    " \xD0\x9F\xD1\x80\xD0\x98\xD0\xB2"sv, end, " '"sv, "s"sv, " '"sv, "l"sv, end, "/a"sv, " //"sv, "b"sv, end,
    "a"sv, "\x00""b"sv, "\x1C""c"sv, end,
};
constexpr std::string_view texts[] = {
    "Hello, world"sv, "I'M don't we'll o'clock"sv, "'sand ''s 's"sv, "it'\xC5\xBF it'\xE2\x84\xAA"sv,
    "HTTPServer camelCase ABC"sv, "x't's't"sv, "x'tIS x'LLa"sv, "12345 1 23"sv,
    "\xC2\xB2\xC2\xBD\xE2\x91\xA0\xE0\xA5\xA7"sv, "a  b   c"sv, " \n  x"sv, "x \n \n  "sv, "x   "sv, "\n\n\n"sv,
    "a\r\n\r\nb"sv, "!\n/!/\n//a"sv, "foo.bar ..x .y"sv, "!?a (b)"sv,
    "\xCC\x81""A \xCC\x81""AB \xCC\x81""a A\xCC\x81""b"sv, "!!\xCC\x81""a"sv, "\xCA\xB0""A\xE4\xB8\xAD""BC"sv,
    "\xC7\x85ungla"sv, "\xC2\x85\xC2\x85""a"sv, "\xEF\xBB\xBF""a"sv, "\xC2\xA0x\xE3\x80\x80!"sv,
    "\xE2\x80\x8Bx"sv, "\t\tfoo"sv, "1 2\t3"sv, " !\r\n x"sv,
    "\xE4\xBD\xA0\xE5\xA5\xBD\xEF\xBC\x8C\xE4\xB8\x96\xE7\x95\x8C"sv,
    "na\xC3\xAFve \xD0\x9F\xD1\x80\xD0\x98\xD0\xB2"sv, " 's 'l"sv, "/a //b"sv, "a\x00""b\x1C""c"sv,
};

template <split_scheme Scheme>
constexpr bool pieces_are(auto const& expected) {
    std::size_t next = 0;
    for (auto const text : texts) {
        splitter<condense::rules_of(Scheme)> const split{text};
        for (std::size_t at = 0; at < text.size();) {
            auto const found = split.next(at);
            if (!found.valid || found.end <= at || text.substr(at, found.end - at) != expected[next++]) return false;
            at = found.end;
        }
        if (expected[next++] != end) return false;
    }
    return next == std::size(expected);
}
static_assert(pieces_are<split_scheme::cl100k>(cl100k_pieces));
static_assert(pieces_are<split_scheme::o200k>(o200k_pieces));
static_assert(pieces_are<split_scheme::llama3>(llama3_pieces));
static_assert(pieces_are<split_scheme::qwen>(qwen_pieces));

constexpr bool ill_formed_parts_are_signs_and_are_told() {
    splitter<condense::rules_of(split_scheme::cl100k)> const small{"a\xFF\xE2\x82!b"sv};
    splitter<condense::rules_of(split_scheme::o200k)> const large{"\x80word \xC3"sv};
    auto const first = small.next(0);
    auto const second = small.next(1);
    auto const lead = large.next(0);
    auto const last = large.next(5);
    return first.valid && first.end == 1 && !second.valid && second.end == 5 && !lead.valid && lead.end == 5 &&
           !last.valid && last.end == 7;
}
static_assert(ill_formed_parts_are_signs_and_are_told());

}  // namespace

TEST_CASE("split: pieces are those of the patterns") {
    CHECK(pieces_are<split_scheme::cl100k>(cl100k_pieces));
    CHECK(pieces_are<split_scheme::o200k>(o200k_pieces));
    CHECK(pieces_are<split_scheme::llama3>(llama3_pieces));
    CHECK(pieces_are<split_scheme::qwen>(qwen_pieces));
    CHECK(ill_formed_parts_are_signs_and_are_told());
}

TEST_CASE("split: a long run costs a few looks at each place") {
    // Quadratic, these would take minutes.
    for (auto const unit : {"a"sv, "A"sv, " "sv, "\n "sv, "\xE4\xB8\xAD"sv, "\xCC\x81"sv, "\xCC\x81""A"sv, "\xE4\xB8\xAD""A"sv, "-"sv, "!/\n"sv}) {
        std::string text;
        while (text.size() < 1'000'000) text += unit;
        text += "x";
        splitter<condense::rules_of(split_scheme::o200k)> const split{text};
        std::size_t at = 0;
        while (at < text.size()) at = split.next(at).end;
        CHECK(at == text.size());
    }
}
