// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/open_piece.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <condense/estimate/bpe/counter.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

namespace {

using condense::split_scheme;
using condense::detail::bpe::open_piece;

constexpr auto cl100k = condense::rules_of(split_scheme::cl100k);
constexpr auto o200k = condense::rules_of(split_scheme::o200k);
static_assert(condense::detail::bpe::may_reach_beyond<cl100k>("\n  more text", 1));
static_assert(!condense::detail::bpe::may_reach_beyond<cl100k>("a  more text", 1));
static_assert(
    !condense::detail::bpe::may_reach_beyond<cl100k>("\xE4\xB8\xAD"
                                                     "ABCDEFGHIJ",
                                                     3));
static_assert(
    condense::detail::bpe::may_reach_beyond<o200k>("\xE4\xB8\xAD"
                                                   "ABCDEFGHIJ",
                                                   3));
static_assert(!condense::detail::bpe::may_reach_beyond<o200k>("aABCDEFGHIJ", 1));

}  // namespace

TEST_CASE("open_piece: it takes what is of the piece, and says what begins the next") {
    struct row {
        split_scheme scheme;
        std::string_view piece, after;
        std::size_t taken;
        std::string_view back;
    };
    for (auto const& each :
         {row{split_scheme::cl100k, " word", "s more", 1, ""}, row{split_scheme::cl100k, "   ", " x", 1, " "},
          row{split_scheme::cl100k, "   ", "\nx", 1, ""}, row{split_scheme::cl100k, "!!", "a", 0, ""},
          row{split_scheme::cl100k, "!!", "\n\r/", 2, ""}, row{split_scheme::o200k, "!!", "\n\r/", 3, ""},
          row{split_scheme::o200k, "ABC", "d'll'll", 4, ""}, row{split_scheme::o200k, "small", "L", 0, ""},
          row{split_scheme::o200k, "small", "'x", 0, ""}, row{split_scheme::deepseek, "   ", "1", 0, ""},
          row{split_scheme::deepseek, "   ", "x", 0, " "}, row{split_scheme::deepseek, "\x01\x01", "x", 0, "\x01"},
          row{split_scheme::deepseek, "\x01\x01", "1", 0, ""}, row{split_scheme::deepseek, "!ab", "\xC3\xA9", 0, ""}}) {
        INFO(each.piece << each.after);
        open_piece open{toy_bpe::vocabulary(toy_bpe::trained(60), each.scheme), each.piece};
        CHECK(open.consume(each.piece) == each.piece.size());
        CHECK_FALSE(open.ended());
        CHECK(open.consume(std::string{each.after} + "1", true) == each.taken);
        CHECK(open.ended());
        CHECK(open.given_back() == each.back);
    }
}

TEST_CASE("open_piece: what is unfinished waits") {
    auto const made = toy_bpe::vocabulary(toy_bpe::trained(60), split_scheme::o200k);
    open_piece open{made, "words"};
    CHECK(open.consume("words") == 5);
    CHECK(open.consume("\xE4\xB8") == 0);
    CHECK(open.consume("'") == 0);
    CHECK(open.consume("'l") == 0);
    CHECK_FALSE(open.ended());
    CHECK(open.consume("\xE4\xB8\xAD") == 3);
    CHECK(open.consume("'ll") == 3);
    CHECK(open.ended());
}

TEST_CASE("open_piece: where a piece would end if the text did is counted, until more joins it") {
    auto const made = toy_bpe::vocabulary(toy_bpe::trained(400), split_scheme::o200k);
    condense::bpe_counter counter{made};
    std::string text;
    open_piece open{made,
                    "\xE4\xB8\xAD"
                    "A"};
    for (std::string_view const next : {"\xE4\xB8\xAD", "A", "B", "\xE6\x96\x87", "A", "a", "\xE4\xB8\xAD"}) {
        CHECK(open.consume(next) == next.size());
        text += next;
        CHECK(open.count() == counter.count(text));
    }
}
