// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/span_cache.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/estimate/bpe/counter.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using namespace condense::detail::bpe;
using condense::bpe_counter;
using condense::split_scheme;

/// Text whose blocks and lines come again in many surroundings, in this text and in others of the same seed.
std::string text_of_blocks(toy_bpe::numbers& any, std::vector<std::string> const& blocks, std::size_t count) {
    std::string out;
    for (; count != 0; --count) {
        auto const& block = blocks[any.below(blocks.size())];
        out += any.below(4) == 0 ? block.substr(any.below(block.size())) : block;
        if (any.below(3) == 0) out += toy_bpe::text(any, any.below(12));
    }
    return out;
}

std::vector<std::string> some_blocks(toy_bpe::numbers& any) {
    std::vector<std::string> blocks;
    for (int each = 0; each < 12; ++each) blocks.push_back(toy_bpe::text(any, 1 + any.below(1'400)));
    for (int each = 0; each < 3; ++each) blocks.push_back(toy_bpe::long_pieces(any, 1 + any.below(8)) + "x");
    return blocks;
}

template <split_scheme Scheme>
void counts_of_repeated_text_are_those_of_the_definition() {
    auto const tokens = toy_bpe::trained(400);
    auto const vocabulary = toy_bpe::vocabulary(tokens, Scheme);
    toy_bpe::naive const naive{tokens};
    toy_bpe::numbers any{57};
    for (std::uint64_t seed = 0; seed < rounds(10); ++seed) {
        auto const blocks = some_blocks(any);
        bpe_counter counter{vocabulary};
        for (int round = 0; round < 6; ++round) {
            auto const text = text_of_blocks(any, blocks, 1 + any.below(12));
            auto const wanted = naive.all<condense::rules_of(Scheme)>(text).size();
            INFO(text);
            REQUIRE(counter.count(text) == wanted);
            REQUIRE(counter.count(text) == wanted);
        }
    }
}

}  // namespace

TEST_CASE("span_cache: counts of text that comes again are those of the definition") {
    counts_of_repeated_text_are_those_of_the_definition<split_scheme::cl100k>();
    counts_of_repeated_text_are_those_of_the_definition<split_scheme::o200k>();
    counts_of_repeated_text_are_those_of_the_definition<split_scheme::llama3>();
    counts_of_repeated_text_are_those_of_the_definition<split_scheme::qwen>();
    counts_of_repeated_text_are_those_of_the_definition<split_scheme::deepseek>();
}

TEST_CASE("span_cache: a span ends at a safe cut within its limits") {
    toy_bpe::numbers any{58};
    std::size_t ends = 0;
    for (std::uint64_t round = 0; round < rounds(300); ++round) {
        auto const text = toy_bpe::text(any, any.below(4'000));
        for (std::size_t at = 0; at < text.size(); at += 97) {
            auto const end = span_end(text, at);
            if (end == 0) continue;
            ++ends;
            REQUIRE(end - at >= shortest_span);
            REQUIRE(end - at <= longest_span);
            REQUIRE(end < text.size());
            REQUIRE(may_cut(text, end));
        }
    }
    CHECK(ends > rounds(300) * 5);
    auto const lines = std::string(600, 'a') + " b\n" + std::string(300, 'c') + " d\n" + std::string(900, 'e');
    CHECK(span_end(lines, 0) == 603);
    CHECK(span_end(lines, 603) == 0);
    CHECK(span_end(std::string(600, 'a') + " b", 0) == 600);
    CHECK(span_end(std::string(600, 'a') + ";\n  b", 0) == 602);
    CHECK(span_end(std::string(5'000, 'a'), 0) == 0);
    CHECK(span_end("", 0) == 0);
}

TEST_CASE("span_cache: what is found is what was put, for more text than there is room") {
    auto const text_of = [](std::uint64_t number) {
        toy_bpe::numbers any{number};
        std::string out(shortest_span + any.below(longest_span - shortest_span), static_cast<char>(number));
        for (int each = 0; each < 40; ++each) out[any.below(out.size())] = static_cast<char>(any.below(256));
        return out;
    };
    auto const count_of = [](std::uint64_t number) { return 1 + number % 4'000; };
    span_cache cache;
    std::size_t found = 0, lost = 0;
    for (std::uint64_t number = 0; number < 40'000; ++number) {
        auto const text = text_of(number);
        REQUIRE(cache.find(text, span_hash(text)) == 0);
        cache.insert(text, span_hash(text), count_of(number));
        REQUIRE(cache.find(text, span_hash(text)) == count_of(number));
        auto const other = number / 2;
        auto const earlier = text_of(other);
        auto const known = cache.find(earlier, span_hash(earlier));
        if (known != 0) REQUIRE(known == count_of(other));
        (known != 0 ? found : lost) += 1;
    }
    CHECK(found > 20'000);
    CHECK(lost > 5'000);
}

TEST_CASE("span_cache: spans of one hash are told apart") {
    span_cache cache;
    auto const a = std::string(600, 'a'), b = std::string(600, 'b');
    cache.insert(a, 7, 5);
    CHECK(cache.find(a, 7) == 5);
    CHECK(cache.find(b, 7) == 0);
    CHECK(cache.find(a.substr(1), 7) == 0);
    cache.insert(b, 7, 6);
    CHECK(cache.find(a, 7) == 5);
    CHECK(cache.find(b, 7) == 6);
}

TEST_CASE("span_cache: a text that was overwritten is not kept, even by the same text") {
    text_ring ring;
    std::string const text(1'024, 'a');
    auto const first = ring.push(text);
    auto const second = ring.push(text.substr(1));
    auto const count = text_ring::block_size / text.size() * (text_ring::most_blocks - 1);
    for (std::size_t each = 0; each < count; ++each) ring.push(text);
    CHECK(ring.holds(first, text));
    CHECK(ring.holds(second, text.substr(1)));
    for (std::size_t each = 0; each < 64; ++each) ring.push(text);
    CHECK(!ring.holds(first, text));
    CHECK(!ring.holds(second, text.substr(1)));
}

TEST_CASE("span_cache: a copy of a counter goes on by itself") {
    auto const vocabulary = toy_bpe::vocabulary(toy_bpe::trained(400), split_scheme::o200k);
    toy_bpe::numbers any{59};
    auto const first = toy_bpe::text(any, 5'000), second = toy_bpe::text(any, 5'000);
    bpe_counter counter{vocabulary};
    auto const wanted = counter.count(first);
    auto copy = counter;
    CHECK(copy.count(second) == bpe_counter{vocabulary}.count(second));
    CHECK(copy.count(first) == wanted);
    CHECK(counter.count(first) == wanted);
}
