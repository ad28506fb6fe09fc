// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/split_script.hpp>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "support/catch.hpp"

// What the three patterns of the encoding match in these texts, one after the other, by the regex module of
// Python; `end` ends each text's.

namespace {

using namespace std::string_view_literals;
using condense::detail::bpe::script_splitter;

constexpr auto end = "\n(end)"sv;

constexpr std::string_view texts[] = {
    "Hello, world don't (foo) !na\xC3\xAFve"sv,
    "12345\xE3\x82\xAB\xE3\x82\xBF\xE3\x82\xAB\xE3\x83\x8A\xE3\x83\xBB\xE4\xB8\xAD\xE6\x96\x87"
    "1"sv,
    "\xE4\xBD\xA0\xE5\xA5\xBD\xEF\xBC\x8C\xE4\xB8\x96\xE7\x95\x8C a"sv,
    "  1  \xE4\xB8\xAD  x \n \n  "sv,
    "\x01\x02"
    "a\x03 \x04\n"sv,
    "e\xCC\x81 \xCC\x81"
    "a !!\xCC\x81"
    "b"sv,
    "!\r\n\n x"sv,
    "\xEC\x95\x88\xEB\x85\x95 \xD0\x9F\xD1\x80\xD0\xB8 \xE3\x82\x9B\xE3\x80\x81"sv,
    "\xC2\x85\xC2\x85"
    "a\xEF\xBB\xBF"
    "b\xE2\x80\x8B"sv,
    "a\t\tb\t1"sv,
};
constexpr std::string_view pieces[] = {
    "Hello"sv,
    ","sv,
    " world"sv,
    " don"sv,
    "'t"sv,
    " ("sv,
    "foo"sv,
    ")"sv,
    " !"sv,
    "na\xC3\xAFve"sv,
    end,
    "123"sv,
    "45"sv,
    "\xE3\x82\xAB\xE3\x82\xBF\xE3\x82\xAB\xE3\x83\x8A\xE3\x83\xBB\xE4\xB8\xAD\xE6\x96\x87"sv,
    "1"sv,
    end,
    "\xE4\xBD\xA0\xE5\xA5\xBD"sv,
    "\xEF\xBC\x8C"sv,
    "\xE4\xB8\x96\xE7\x95\x8C"sv,
    " a"sv,
    end,
    "  "sv,
    "1"sv,
    "  "sv,
    "\xE4\xB8\xAD"sv,
    " "sv,
    " x"sv,
    " \n \n"sv,
    "  "sv,
    end,
    "\x01"sv,
    "\x02"
    "a"sv,
    "\x03"sv,
    " "sv,
    "\x04"sv,
    "\n"sv,
    end,
    "e\xCC\x81"sv,
    " \xCC\x81"
    "a"sv,
    " !!"sv,
    "\xCC\x81"
    "b"sv,
    end,
    "!\r\n\n"sv,
    " x"sv,
    end,
    "\xEC\x95\x88\xEB\x85\x95"sv,
    " \xD0\x9F\xD1\x80\xD0\xB8"sv,
    " "sv,
    "\xE3\x82\x9B"sv,
    "\xE3\x80\x81"sv,
    end,
    "\xC2\x85"sv,
    "\xC2\x85"
    "a"sv,
    "\xEF\xBB\xBF"
    "b"sv,
    "\xE2\x80\x8B"sv,
    end,
    "a"sv,
    "\t"sv,
    "\tb"sv,
    "\t"sv,
    "1"sv,
    end,
};

constexpr bool pieces_are_those_of_the_patterns() {
    std::size_t next = 0;
    for (auto const text : texts) {
        script_splitter const split{text};
        for (std::size_t at = 0; at < text.size();) {
            auto const found = split.next(at);
            if (!found.valid || found.end <= at || text.substr(at, found.end - at) != pieces[next++]) return false;
            at = found.end;
        }
        if (pieces[next++] != end) return false;
    }
    return next == std::size(pieces);
}
static_assert(pieces_are_those_of_the_patterns());

constexpr bool ill_formed_parts_are_signs_and_are_told() {
    script_splitter const split{"a \xFF\xE4\xB8\n\x01\xC3"sv};
    auto const word = split.next(0);
    auto const signs = split.next(1);
    auto const left = split.next(6);
    auto const last = split.next(7);
    return word.end == 1 && word.valid && signs.end == 6 && !signs.valid && left.end == 7 && left.valid &&
           last.end == 8 && !last.valid;
}
static_assert(ill_formed_parts_are_signs_and_are_told());

}  // namespace

TEST_CASE("split_script: pieces are those of the patterns") {
    CHECK(pieces_are_those_of_the_patterns());
    CHECK(ill_formed_parts_are_signs_and_are_told());
}

TEST_CASE("split_script: a long run costs a few looks at each place") {
    // Quadratic, these would take minutes.
    for (auto const unit : {"a"sv, " "sv, "\n "sv, "\xE4\xB8\xAD"sv, "\xCC\x81"sv, "-"sv, "\x01"sv, "\x01 "sv}) {
        std::string text;
        while (text.size() < 1'000'000) text += unit;
        text += "x";
        script_splitter const split{text};
        std::size_t at = 0;
        while (at < text.size()) at = split.next(at).end;
        CHECK(at == text.size());
    }
}
