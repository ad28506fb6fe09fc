// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/running.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using condense::bpe_counter;
using condense::bpe_running_count;
using condense::split_scheme;

constexpr split_scheme schemes[]{split_scheme::cl100k, split_scheme::o200k, split_scheme::llama3, split_scheme::qwen,
                                 split_scheme::deepseek};

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
    for (auto const scheme : schemes) {
        auto const made = toy_bpe::vocabulary(toy_bpe::trained(400), scheme);
        bpe_counter counter{made}, other{made};
        toy_bpe::numbers any{51};
        std::size_t tail = 0;
        for (std::uint64_t round = 0; round < rounds(150); ++round)
            REQUIRE(agrees(counter, other, toy_bpe::text(any, 400), round % 2 == 0 ? 3 : 60, any, tail));
    }
}

TEST_CASE("running: in pieces without end too, and what is kept stays short") {
    std::size_t tail = 0, unordered_tail = 0;
    for (auto const scheme : schemes)
        for (auto const& tokens : {toy_bpe::trained(400), toy_bpe::trained(60), toy_bpe::wild(3)}) {
            auto const made = toy_bpe::vocabulary(tokens, scheme);
            bpe_counter counter{made}, other{made};
            toy_bpe::numbers any{52};
            auto& kept = made.tables().shape.ordered ? tail : unordered_tail;
            for (std::uint64_t round = 0; round < rounds(90); ++round)
                REQUIRE(agrees(counter, other, toy_bpe::long_pieces(any, 1 + any.below(5)),
                               round % 3 == 0   ? 2
                               : round % 3 == 1 ? 8
                                                : 100,
                               any, kept));
        }
    CHECK(tail <= 64);
    CHECK(unordered_tail > 64);
}

// Work is bytes that are looked at again: the tail. What a byte of the piece itself costs is prefix_counts'.
TEST_CASE("running: an append looks at a short tail, however long its piece is") {
    for (auto const scheme : schemes) {
        bpe_counter counter{toy_bpe::vocabulary(toy_bpe::trained(400), scheme)};
        for (std::string_view const unit :
             {"a", "aA", " ", "\n ", "!", "'", "'s", "1", "\xE4\xB8\xAD",
              "\xE4\xB8\xAD"
              "A",
              "\xE3\x80\x81\xE3\x81\x82", "\xF0\x9F\x98\x80", "\xE2\x80\x8D", "\xFF", "\x01",
              "\x01"
              "a",
              "!\n", "/\n"}) {
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

TEST_CASE("running: a copy within a long piece goes on from there") {
    bpe_counter counter{toy_bpe::vocabulary(toy_bpe::trained(400), split_scheme::o200k)};
    std::string const text(300, 'a');
    bpe_running_count running;
    running.append(counter, text);
    auto snapshot = running;
    running.append(counter, "b!");
    snapshot.append(counter, "'ll");
    CHECK(running.count() == counter.count(text + "b!"));
    CHECK(snapshot.count() == counter.count(text + "'ll"));
}

TEST_CASE("running: a copy is a snapshot, and the tail is short") {
    bpe_counter counter{toy_bpe::vocabulary(toy_bpe::trained(400), split_scheme::cl100k)};
    std::string text;
    bpe_running_count running;
    for (int each = 0; each < 2'000; ++each) {
        running.append(counter, "The word of the day\n");
        text += "The word of the day\n";
        REQUIRE(running.tail().size() < 20);
    }
    auto const snapshot = running;
    running.append(counter, "and more");
    CHECK(snapshot.count() == counter.count(text));
    CHECK(running.count() == counter.count(text + "and more"));
}

TEST_CASE("running: appending may lower the count") {
    bpe_counter counter{toy_bpe::vocabulary(toy_bpe::trained(400), split_scheme::cl100k)};
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
