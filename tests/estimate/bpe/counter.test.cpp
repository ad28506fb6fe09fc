// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include <chrono>
#include <set>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/repetition.hpp"

// The counter, and its memories: of pieces by their keys, and of spans of text.

namespace {

using namespace condense::detail::bpe;
using condense::bpe_counter, condense::split_scheme;

template <split_scheme Scheme>
void counts_and_ids_are_those_of_the_definition(std::vector<std::string> const& tokens) {
    auto const made = toy_bpe::vocabulary(tokens, Scheme);
    toy_bpe::naive const naive{tokens};
    std::vector<bpe_counter> counters;
    for (auto const unit : vector_units)
        if (has(unit)) counters.emplace_back(made, unit);
    toy_bpe::numbers any{31};
    for (std::uint64_t round = 0; round < rounds(250); ++round) {
        auto text = toy_bpe::text(any, any.below(round < 200 ? 120 : 900));
        text.shrink_to_fit();
        auto const wanted = naive.all<condense::rules_of(Scheme)>(text);
        for (auto& each : counters) {
            INFO(text);
            REQUIRE(each.count(text) == wanted.size());
            REQUIRE(each.encode(text) == wanted);
            REQUIRE(each.count(text) == wanted.size());
        }
    }
}

TEST_CASE("counter: counts and ids are those of the definition, on every unit") {
    counts_and_ids_are_those_of_the_definition<split_scheme::cl100k>(toy_bpe::trained(400));
    counts_and_ids_are_those_of_the_definition<split_scheme::o200k>(toy_bpe::trained(400));
    counts_and_ids_are_those_of_the_definition<split_scheme::llama3>(toy_bpe::wild(40));
    counts_and_ids_are_those_of_the_definition<split_scheme::qwen>(toy_bpe::wild(41));
    counts_and_ids_are_those_of_the_definition<split_scheme::deepseek>(toy_bpe::trained(400));
}

TEST_CASE("counter: empty and ill-formed texts") {
    bpe_counter count{toy_bpe::vocabulary(0)};
    CHECK(count.count("") == 0);
    CHECK(count.encode("").empty());
    CHECK(count.count("\xFF") == 3);  // U+FFFD has three bytes
    CHECK(count.count("\xE4\xB8") == 3);
    CHECK(count.count("\xE4\xB8\xFF") == 6);
    CHECK(count.encode("\xC3") == count.encode("\xEF\xBF\xBD"));
    CHECK(count.count(std::string(100'000, '\0')) == 100'000);
}

TEST_CASE("counter: one long piece takes time in line with its size") {
    bpe_counter count{toy_bpe::vocabulary(400, split_scheme::o200k)};
    std::size_t const size = effort() < 100 ? 500'000 : 3'000'000;
    for (std::string_view const unit : {"a", "ab", " ", "\xE4\xB8\xAD", "-", "\n "}) {
        auto const text = repeated(unit, size);
        auto const begin = std::chrono::steady_clock::now();
        CHECK(count.count(text) > 100);
        // Some 0.1 s, under a sanitizer seconds; hours where it is quadratic.
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{60});
    }
}

// Keys of pieces

TEST_CASE("counter: keys are equal where texts are, whatever follows them, and no byte is lost to the size") {
    std::string const text = std::string{"\0abcdefghijklmnopqrstuvwxyz", 20} + std::string(16, '\xFF');
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    for (std::size_t size = 0; size <= piece_key::longest; ++size) {
        auto const key = key_of({text.data(), size});
        CHECK(key == key_within(text.data(), size));
        CHECK(seen.insert({key.low, key.high}).second);
        std::string const padded(size, '\0');
        if (size > 1) CHECK_FALSE(key == key_of(padded));
        CHECK(seen.insert({key_of(padded + (size < 15 ? std::string(1, '\1') : "")).low, ~key.high}).second);
    }
    for (std::size_t size = 1; size <= 15; ++size)
        for (std::size_t at = 0; at < size; ++at) {
            std::string const one(size, '\0');
            auto other = one;
            other[at] = static_cast<char>(size);
            CHECK_FALSE(key_of(one) == key_of(other));
        }
}

TEST_CASE("counter: texts of any size hash within their bytes, all bytes count, and places are within the table") {
    std::set<std::uint64_t> seen;
    for (std::size_t size = 1; size < 100; ++size) {
        std::string text(size, 'a');
        text.shrink_to_fit();
        CHECK(seen.insert(text_hash(text)).second);
        CHECK(text_hash(text) == text_hash(std::string_view{text + "b"}.substr(0, size)));
        for (std::size_t at = 0; at < size; ++at) {
            auto other = text;
            other[at] = 'b';
            CHECK(seen.insert(text_hash(other)).second);
        }
    }
    for (unsigned bits = 1; bits < 20; ++bits)
        for (auto const hash : {std::uint64_t{0}, ~std::uint64_t{0}, odd_a, odd_b})
            CHECK(place_of(hash, bits) < std::size_t{1} << bits);
}

// Pieces

/// The count of a piece, which is put if it is not found.
std::uint32_t count_in(middle_cache& cache, std::string const& piece, auto count) {
    auto const hash = text_hash(piece);
    if (auto const known = cache.find(piece, hash); known != 0) return known;
    auto const counted = count();
    cache.insert(piece, hash, counted);
    return counted;
}

TEST_CASE("counter: of pieces what is found is what was put, for more of them than there are places") {
    auto const count_of = [](std::string const& piece) {
        return static_cast<std::uint32_t>(1 + text_hash(piece) % piece.size());
    };
    short_cache shorts;
    middle_cache middles;
    toy_bpe::numbers any{4};
    std::size_t found = 0;
    for (int round = 0; round < 300'000; ++round) {
        auto const number = std::to_string(any.below(200'000));
        auto const piece = (std::string(1 + any.below(8), '\0') + number);
        auto const key = key_of(piece);
        auto const known = shorts.find(key, key.hash());
        if (known != 0) {
            ++found;
            REQUIRE(known == count_of(piece));
        } else shorts.insert(key, key.hash(), count_of(piece));
        auto const longer = std::string(16 + any.below(8), 'x') + number;
        REQUIRE(count_in(middles, longer, [&] { return count_of(longer); }) == count_of(longer));
    }
    CHECK(found > 1'000);
}

TEST_CASE("counter: two pieces of one place stay; of three, not all drive each other out") {
    short_cache cache;
    auto const a = key_of("a"), b = key_of("b"), c = key_of("c");
    int puts = 0;
    auto const want = [&](piece_key const& key) {
        if (cache.find(key, 0) != 0) return;
        cache.insert(key, 0, 1);
        ++puts;
    };
    for (auto const& each : {a, b, a, b}) want(each);
    CHECK(puts == 2);
    for (auto const& each : {c, a, b, c, a, b}) want(each);
    CHECK(puts == 2 + 4);
    // The size of a piece is of its key.
    short_cache sizes;
    sizes.insert(a, 0, 1);
    CHECK(sizes.find(a, 0) == 1);
    CHECK(sizes.find(key_of(std::string_view{"a\0", 2}), 0) == 0);
    CHECK(sizes.find(key_of(""), 0) == 0);
}

TEST_CASE("counter: a growing table of pieces keeps what it holds") {
    short_cache shorts;
    middle_cache middles;
    auto const piece = [](std::size_t number) { return "piece " + std::to_string(number); };
    auto const longer = [&](std::size_t number) { return std::string(48, '-') + piece(number); };
    std::uint32_t lost = 0, longer_lost = 0;
    auto const count_of = [](std::size_t number) { return static_cast<std::uint32_t>(1 + number % 7); };
    for (std::size_t each = 0; each < 30'000; ++each) {
        auto const key = key_of(piece(each));
        shorts.insert(key, key.hash(), count_of(each));
        count_in(middles, longer(each), [&] { return count_of(each); });
    }
    for (std::size_t each = 0; each < 30'000; ++each) {
        auto const key = key_of(piece(each));
        auto const known = shorts.find(key, key.hash());
        lost += known == 0;
        REQUIRE((known == 0 || known == count_of(each)));
        REQUIRE(count_in(middles, longer(each), [&] { return ++longer_lost, count_of(each); }) == count_of(each));
    }
    CHECK(lost < 1'500);
    CHECK(longer_lost < 7'500);
}

// Spans

TEST_CASE("counter: counts of text that comes again are those of the definition") {
    auto const tokens = toy_bpe::trained(400);
    toy_bpe::naive const naive{tokens};
    toy_bpe::each_scheme([&]<split_scheme Scheme>() {
        auto const vocabulary = toy_bpe::vocabulary(tokens, Scheme);
        toy_bpe::numbers any{57};
        for (std::uint64_t seed = 0; seed < rounds(10); ++seed) {
            std::vector<std::string> blocks;
            for (int each = 0; each < 12; ++each) blocks.push_back(toy_bpe::text(any, 1 + any.below(1'400)));
            for (int each = 0; each < 3; ++each) blocks.push_back(toy_bpe::long_pieces(any, 1 + any.below(8)) + "x");
            bpe_counter counter{vocabulary};
            for (int round = 0; round < 6; ++round) {
                std::string text;  // of blocks and lines that come again in many surroundings, here and in others
                for (auto left = 1 + any.below(12); left != 0; --left) {
                    auto const& block = blocks[any.below(blocks.size())];
                    text += any.below(4) == 0 ? block.substr(any.below(block.size())) : block;
                    if (any.below(3) == 0) text += toy_bpe::text(any, any.below(12));
                }
                auto const wanted = naive.all<condense::rules_of(Scheme)>(text).size();
                INFO(text);
                REQUIRE(counter.count(text) == wanted);
                REQUIRE(counter.count(text) == wanted);
            }
        }
    });
}

TEST_CASE("counter: a span ends at a safe cut within its limits") {
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

TEST_CASE("counter: of spans what is found is what was put, for more text than there is room") {
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

TEST_CASE(
    "counter: spans of one hash are told apart, and a text that was overwritten is not kept, even by the same text") {
    span_cache cache;
    auto const a = std::string(600, 'a'), b = std::string(600, 'b');
    cache.insert(a, 7, 5);
    CHECK(cache.find(a, 7) == 5);
    CHECK(cache.find(b, 7) == 0);
    CHECK(cache.find(a.substr(1), 7) == 0);
    cache.insert(b, 7, 6);
    CHECK(cache.find(a, 7) == 5);
    CHECK(cache.find(b, 7) == 6);
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

TEST_CASE("counter: a copy goes on by itself") {
    auto const vocabulary = toy_bpe::vocabulary(400, split_scheme::o200k);
    toy_bpe::numbers any{59};
    auto const first = toy_bpe::text(any, 5'000), second = toy_bpe::text(any, 5'000);
    bpe_counter counter{vocabulary};
    auto const wanted = counter.count(first);
    auto copy = counter;
    CHECK(copy.count(second) == bpe_counter{vocabulary}.count(second));
    CHECK(copy.count(first) == wanted);
    CHECK(counter.count(first) == wanted);
}

// How the bytes of a piece become tokens: by search, by a heap, by tiling, and beginning by beginning.

std::vector<std::uint32_t> by_heap(tables const& in, std::string_view text) {
    std::vector<std::uint32_t> out;
    heap_merge(in, text, out);
    return out;
}

/// Not empty, and no longer than what is merged by search.
std::string short_text(toy_bpe::numbers& any, std::size_t size) {
    auto text = toy_bpe::text(any, size);
    if (text.size() > short_piece) text.resize(short_piece);
    return text;
}

TEST_CASE("merge: both ways give what the definition gives, with any vocabulary") {
    toy_bpe::numbers any{1};
    std::vector<std::vector<std::string>> vocabularies{toy_bpe::trained(400), toy_bpe::trained(20)};
    for (std::uint64_t seed = 0; seed < 6; ++seed) vocabularies.push_back(toy_bpe::wild(seed));
    for (auto const& tokens : vocabularies) {
        auto const made = toy_bpe::vocabulary(tokens);
        auto const& in = made.tables();
        toy_bpe::naive const naive{tokens};
        for (std::uint64_t round = 0; round < rounds(300); ++round) {
            auto const text = short_text(any, 2 + any.below(round < 200 ? 30 : 63));
            auto const wanted = naive.merged(text);
            std::vector<std::uint32_t> found;
            short_merge const by_search{in, text};
            by_search.each([&](std::uint32_t token) { found.push_back(token); });
            REQUIRE(found == wanted);
            REQUIRE(by_search.count() == wanted.size());
            REQUIRE(by_heap(in, text) == wanted);
        }
        for (std::uint64_t round = 0; round < rounds(20); ++round) {
            auto const text = toy_bpe::text(any, 300);
            REQUIRE(by_heap(in, text) == naive.merged(text));
        }
    }
}

TEST_CASE("merge: all sizes of one byte") {
    auto const tokens = toy_bpe::trained(400);
    auto const made = toy_bpe::vocabulary(tokens);
    toy_bpe::naive const naive{tokens};
    for (std::size_t size = 2; size <= short_piece; ++size)
        CHECK(short_merge{made.tables(), std::string(size, 'a')}.count() ==
              naive.merged(std::string(size, 'a')).size());
}

TEST_CASE("merge: pieces merged in turn have the counts of each by itself") {
    auto const made = toy_bpe::vocabulary(400);
    toy_bpe::numbers any{91};
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> pieces;
        for (auto left = any.below(20); left != 0; --left) pieces.push_back(short_text(any, 2 + any.below(62)));
        std::vector<std::size_t> counts(pieces.size());
        merge_in_turn(
            made.tables(), pieces.size(), [&](std::size_t index) { return std::string_view{pieces[index]}; },
            [&](std::size_t index, std::size_t tokens) { counts[index] += tokens; });
        for (std::size_t index = 0; index < pieces.size(); ++index)
            REQUIRE(counts[index] == short_merge{made.tables(), pieces[index]}.count());
    }
}

TEST_CASE("merge: the row of tokens by tiling is that of merging") {
    toy_bpe::numbers any{2};
    tiler tile;
    for (std::size_t const merges : {0u, 20u, 120u, 400u}) {
        auto const made = toy_bpe::vocabulary(merges);
        REQUIRE(made.tables().shape.ordered);
        for (int round = 0; round < 400; ++round) {
            auto const text = toy_bpe::text(any, 1 + any.below(round < 300 ? 60 : 1'500));
            REQUIRE(tile(made.tables(), text) == by_heap(made.tables(), text));
        }
    }
}

/// Some code points of three bytes, most of them neighbours, so that they share bytes, and a few others.
std::string text_of_points(toy_bpe::numbers& any, std::size_t size) {
    std::string out;
    while (out.size() < size) {
        auto const point = any.below(40);
        if (point == 0) out += toy_bpe::text(any, 3);
        else if (point == 1) out += std::string{"\xE4\xB8\x80", 1 + any.below(2)};
        else {
            out += "\xE4\xB8";
            out += static_cast<char>(static_cast<unsigned char>(0x80 + (point < 20 ? point % 4 : point)));
            out[out.size() - 2] = static_cast<char>(static_cast<unsigned char>(0xB8 + any.below(2)));
        }
    }
    return out;
}

/// Single bytes, and then tokens of any two earlier ones, so that many have parts of code points.
std::vector<std::string> tokens_of_points(toy_bpe::numbers& any, std::size_t count) {
    auto tokens = toy_bpe::trained(0);
    while (tokens.size() < 256 + count) {
        auto const text = text_of_points(any, 20);
        auto const begin = any.below(12);
        toy_bpe::naive const naive{tokens};
        auto const parts = naive.merged(std::string_view{text}.substr(begin));
        if (parts.size() < 2) continue;
        auto const pair = any.below(parts.size() - 1);
        auto joined = tokens[parts[pair]] + tokens[parts[pair + 1]];
        if (naive.merged(joined).size() == 2) tokens.push_back(std::move(joined));
    }
    return tokens;
}

TEST_CASE("merge: tiling of code points of three bytes, with tokens of parts of them") {
    toy_bpe::numbers any{77};
    tiler tile;
    std::size_t whole = 0, crossed = 0;
    for (std::uint64_t round = 0; round < rounds(20); ++round) {
        auto const made = toy_bpe::vocabulary(tokens_of_points(any, 5 + any.below(60)), condense::split_scheme::o200k);
        auto const& in = made.tables();
        REQUIRE(in.shape.ordered);
        for (int each = 0; each < 200; ++each) {
            auto const text = text_of_points(any, 1 + any.below(80));
            REQUIRE(tile(in, text) == by_heap(in, text));
        }
        for (std::size_t point = 0x4E00; point < 0x4E28; ++point) {
            (in.ends_whole(point) ? whole : crossed) += 1;
            for (std::size_t behind = 0x4E00; behind < 0x4E28; ++behind)
                (in.is_whole(point, behind) ? whole : crossed) += 1;
        }
    }
    CHECK(whole > 100);
    CHECK(crossed > 100);
}

TEST_CASE(
    "merge: parts above their token are noticed, and two tokens stand together where merging their bytes gives them") {
    for (bool const ordered : {false, true}) {
        auto tokens = toy_bpe::trained(0);
        tokens.insert(tokens.end(), {ordered ? "ab" : "abc", ordered ? "abc" : "ab"});
        CHECK(toy_bpe::vocabulary(tokens).tables().shape.ordered == ordered);
    }
    auto const tokens = toy_bpe::trained(120);
    auto const made = toy_bpe::vocabulary(tokens);
    toy_bpe::naive const naive{tokens};
    for (std::uint32_t left = 200; left < made.size(); ++left)
        for (std::uint32_t right = 256; right < made.size(); right += 3)
            REQUIRE(may_be_neighbours(made.tables(), left, right) ==
                    (naive.merged(tokens[left] + tokens[right]) == std::vector{left, right}));
}

TEST_CASE("merge: every beginning of a piece has the tokens that merging gives") {
    auto const merged = [](tables const& in, std::string_view text) {
        return in.find(text) != none ? 1 : text.empty() ? 0 : by_heap(in, text).size();
    };
    toy_bpe::numbers any{12};
    for (std::size_t const merges : {0u, 60u, 400u}) {
        auto const made = toy_bpe::vocabulary(merges);
        for (std::uint64_t round = 0; round < rounds(60); ++round) {
            auto const text = round % 2 == 0 ? toy_bpe::text(any, 200) : toy_bpe::long_pieces(any, 1);
            prefix_counts counts;
            CHECK(counts.empty());
            for (std::size_t size = 1; size <= text.size(); ++size) {
                counts.add(made.tables(), text[size - 1]);
                for (std::size_t less = 0; less <= 4 && less <= size; ++less)
                    REQUIRE(counts.count(made.tables(), less) ==
                            merged(made.tables(), std::string_view{text}.substr(0, size - less)));
                REQUIRE(counts.reach() < made.tables().shape.longest);
            }
        }
    }
}

TEST_CASE("merge: a whole token that merging does not give is one") {
    auto tokens = toy_bpe::trained(0);
    tokens.insert(tokens.end(), {"ab", "xyz"});
    auto const made = toy_bpe::vocabulary(tokens);
    prefix_counts counts;
    counts.add(made.tables(), "xyz");
    CHECK(counts.count(made.tables()) == 1);
    CHECK(counts.count(made.tables(), 1) == 2);
    counts.add(made.tables(), "a");
    CHECK(counts.count(made.tables()) == 4);
    CHECK(counts.count(made.tables(), 1) == 1);
    counts.clear();
    counts.add(made.tables(), "ab");
    CHECK(counts.count(made.tables()) == 1);
}

}  // namespace
