// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

// Counts of a text that grows, and of the piece at its end.

namespace {

using condense::bpe_counter, condense::bpe_running_count, condense::rules_of, condense::split_scheme;
using condense::detail::bpe::may_reach_beyond, condense::detail::bpe::open_piece;

constexpr auto cl100k = rules_of(split_scheme::cl100k);
constexpr auto o200k = rules_of(split_scheme::o200k);
static_assert(may_reach_beyond<cl100k>("\n  more text", 1) && !may_reach_beyond<cl100k>("a  more text", 1));
static_assert(!may_reach_beyond<cl100k>("\u4E2DABCDEFGHIJ", 3) && may_reach_beyond<o200k>("\u4E2DABCDEFGHIJ", 3));
static_assert(!may_reach_beyond<o200k>("aABCDEFGHIJ", 1));

/// Whether every append of a text cut at random gives the count of what was appended; the longest tail.
bool agrees(bpe_counter& counter, bpe_counter& whole, std::string_view text, std::size_t step, toy_bpe::numbers& any,
            std::size_t& tail) {
    bpe_running_count running;
    for (std::size_t at = 0; at < text.size();) {
        auto const size = std::min(text.size() - at, 1 + any.below(step));
        running.append(counter, text.substr(at, size));
        at += size;
        tail = std::max(tail, running.tail().size());
        if (running.count() != whole.count(text.substr(0, at))) {
            UNSCOPED_INFO(text.substr(0, at));
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("running: after every append the count is that of the whole") {
    for (auto const scheme : toy_bpe::schemes) {
        auto const made = toy_bpe::vocabulary(400, scheme);
        bpe_counter counter{made}, other{made};
        toy_bpe::numbers any{51};
        std::size_t tail = 0;
        for (std::uint64_t round = 0; round < rounds(150); ++round)
            REQUIRE(agrees(counter, other, toy_bpe::text(any, 400), round % 2 == 0 ? 3 : 60, any, tail));
    }
}

TEST_CASE("running: in pieces without end too, and what is kept stays short") {
    static constexpr std::size_t steps[] = {2, 8, 100};
    std::size_t tail = 0, unordered_tail = 0;
    for (auto const scheme : toy_bpe::schemes)
        for (auto const& tokens : {toy_bpe::trained(400), toy_bpe::trained(60), toy_bpe::wild(3)}) {
            auto const made = toy_bpe::vocabulary(tokens, scheme);
            bpe_counter counter{made}, other{made};
            toy_bpe::numbers any{52};
            auto& kept = made.tables().shape.ordered ? tail : unordered_tail;
            for (std::uint64_t round = 0; round < rounds(90); ++round) {
                auto const text = toy_bpe::long_pieces(any, 1 + any.below(5));
                REQUIRE(agrees(counter, other, text, steps[round % 3], any, kept));
            }
        }
    CHECK(tail <= 64);
    CHECK(unordered_tail > 64);
}

// Work is bytes that are looked at again: the tail. What a byte of the piece itself costs is prefix_counts'.
TEST_CASE("running: an append looks at a short tail, however long its piece is") {
    for (auto const scheme : toy_bpe::schemes) {
        bpe_counter counter{toy_bpe::vocabulary(400, scheme)};
        for (auto const unit :
             parts_of("a|aA| |\n |!|'|'s|1|\xE4\xB8\xAD|\u4E2DA|\xE3\x80\x81\xE3\x81\x82|\xF0\x9F\x98\x80|\xE2\x80\x8D|"
                      "\xFF|\x01|\1a|!\n|/\n")) {
            bpe_running_count running;
            std::string text;
            std::size_t again = 0;
            for (std::uint64_t each = 0; each < rounds(3'000); ++each) {
                again += running.tail().size();
                running.append(counter, unit);
                text += unit;
            }
            INFO(text.substr(0, 20));
            CHECK(again <= rounds(3'000) * 64);
            CHECK(running.count() == counter.count(text));
        }
    }
}

TEST_CASE("running: a copy is a snapshot, and goes on from there, also within a long piece") {
    auto const copies = [](bpe_counter& counter, bpe_running_count running, std::string const& text) {
        auto snapshot = running;
        running.append(counter, "b!");
        CHECK(snapshot.count() == counter.count(text));
        snapshot.append(counter, "'ll");
        CHECK(running.count() == counter.count(text + "b!"));
        CHECK(snapshot.count() == counter.count(text + "'ll"));
    };
    bpe_counter by_o200k{toy_bpe::vocabulary(400, split_scheme::o200k)}, counter{toy_bpe::vocabulary(400)};
    bpe_running_count long_piece, lines;
    long_piece.append(by_o200k, std::string(300, 'a'));
    copies(by_o200k, long_piece, std::string(300, 'a'));
    std::string text;
    for (int each = 0; each < 2'000; ++each) {
        lines.append(counter, "The word of the day\n");
        text += "The word of the day\n";
        REQUIRE(lines.tail().size() < 20);
    }
    copies(counter, lines, text);
}

TEST_CASE("running: appending may lower the count") {
    bpe_counter counter{toy_bpe::vocabulary(400)};
    bpe_running_count running;
    bool fell = false;
    std::uint64_t last = 0;
    for (char const byte : std::string_view{"The the aaaa word Word ABC 2026 'LL"}) {
        running.append(counter, {&byte, 1});
        fell |= running.count() < last;
        last = running.count();
    }
    CHECK(fell);
}

TEST_CASE("running: an open piece takes what is of it, what is unfinished waits, and it says what begins the next") {
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
        open_piece open{toy_bpe::vocabulary(60, each.scheme), each.piece};
        CHECK(open.consume(each.piece) == each.piece.size());
        CHECK_FALSE(open.ended());
        CHECK(open.consume(std::string{each.after} + "1", true) == each.taken);
        CHECK(open.ended());
        CHECK(open.given_back() == each.back);
    }
    open_piece open{toy_bpe::vocabulary(60, split_scheme::o200k), "words"};
    CHECK(open.consume("words") == 5);
    CHECK(open.consume("\xE4\xB8") == 0);
    CHECK(open.consume("'") == 0);
    CHECK(open.consume("'l") == 0);
    CHECK_FALSE(open.ended());
    CHECK(open.consume("\xE4\xB8\xAD") == 3);
    CHECK(open.consume("'ll") == 3);
    CHECK(open.ended());
}

TEST_CASE("running: where a piece would end if the text did is counted, until more joins it") {
    auto const made = toy_bpe::vocabulary(400, split_scheme::o200k);
    bpe_counter counter{made};
    std::string text;
    open_piece open{made, "\u4E2DA"};
    for (std::string_view const next : {"\xE4\xB8\xAD", "A", "B", "\xE6\x96\x87", "A", "a", "\xE4\xB8\xAD"}) {
        CHECK(open.consume(next) == next.size());
        text += next;
        CHECK(open.count() == counter.count(text));
    }
}
