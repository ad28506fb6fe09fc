// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include <initializer_list>
#include <limits>
#include <set>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "store/scratch.hpp"
#include "support/effort.hpp"

// Vocabularies of rank files, and what is said of those that are none.

namespace {

using namespace std::string_view_literals;
using condense::bpe_encoding, condense::load_vocabulary, condense::parse_vocabulary, condense::split_scheme,
    condense::vocabulary_error;
using condense::detail::bpe::read_ranks, condense::detail::bpe::token_list;
using fault = condense::vocabulary_fault;

TEST_CASE("vocabulary: tokens stand in the order of ranks, and a text that is no rank file is told by its line") {
    token_list found;
    REQUIRE_FALSE(read_ranks("YmM= 1\r\n\nYQ== 0\nAP8A 2", found));
    REQUIRE(found.size() == 3);
    CHECK(found[0] == "a");
    CHECK(found[1] == "bc");
    CHECK(found[2] == "\0\xFF\0"sv);
    auto const told = [](fault what, std::uint64_t place, std::initializer_list<std::string_view> texts) {
        for (auto const text : texts) {
            CAPTURE(text.substr(0, 40));
            token_list out;
            CHECK(read_ranks(text, out) == vocabulary_error{what, place});
        }
    };
    told(fault::empty, 0, {"", "\n\r\n\n"});
    told(fault::bad_line, 2, {"YQ== 0\nYmM=\nYw== 2\n"});
    told(fault::torn, 2, {"YQ== 0\nYm"});
    told(fault::bad_base64, 2, {"YQ== 0\n 1\n"});
    told(fault::bad_base64, 1, {"YQ= 0\n", "YR== 0\n", "Y*== 0\n", "YQ==YQ== 0\n", "Y\0== 0\n"sv});
    told(fault::bad_base64, 1, {"{\"model\": {\"type\": \"BPE\"}}\n"});
    told(fault::bad_rank, 1, {"YQ== \n", "YQ== -1\n", "YQ==  0\n", "YQ== 0x\n", "YQ== 2097151\n"});
    told(fault::bad_rank, 1, {"YQ== 18446744073709551616\n"});
    told(fault::duplicate_rank, 2, {"YQ== 0\nYg== 0\n"});
    told(fault::gap, 1, {"YQ== 0\nYg== 2\n"});
    told(fault::gap, 0, {"YQ== 2097150\n"});
    told(fault::long_token, 1, {std::string(1'000'000, 'A') + " 0\n", std::string(1'368, 'A') + " 0\n"});
}

TEST_CASE("vocabulary: base64 by table is base64") {
    toy_bpe::numbers any{5};
    for (int round = 0; round < 3'000; ++round) {
        std::string text;
        for (auto left = any.below(13); left != 0; --left)
            text.push_back("ABQgw/+9=*\n"[any.below(round % 2 == 0 ? 8 : 11)]);
        std::string quick, plain;
        auto const taken = condense::detail::bpe::append_base64(quick, text);
        REQUIRE(taken == (!text.empty() && condense::detail::base64::append_decoded(plain, text)));
        if (taken) REQUIRE(quick == plain);
    }
}

TEST_CASE("vocabulary: of bytes and of a file, where the number of tokens tells a torn one and another encoding's") {
    scratch::folder const root;
    auto const text = toy_bpe::ranks(toy_bpe::trained(30));
    std::ofstream{root / "toy.tiktoken", std::ios::binary} << text;
    bpe_encoding const toy{"toy", split_scheme::o200k, 286};
    auto const parsed = parse_vocabulary(text, toy);
    auto const loaded = load_vocabulary(root / "toy.tiktoken", toy);
    REQUIRE(parsed);
    REQUIRE(loaded);
    CHECK(loaded.vocabulary->size() == 286);
    CHECK(loaded.vocabulary->scheme() == split_scheme::o200k);
    CHECK(loaded.vocabulary->memory() > 65'536 * 8);
    CHECK(*loaded.vocabulary == *loaded.vocabulary);
    CHECK_FALSE(*loaded.vocabulary == *parsed.vocabulary);
    // Files that can not be read
    std::ofstream{root / "empty", std::ios::binary};
    bpe_encoding const any{"any", {}, 0};
    CHECK(load_vocabulary(root / "absent", any).error.fault == fault::unreadable);
    CHECK(load_vocabulary(root / ".", any).error.fault == fault::unreadable);
    CHECK(load_vocabulary(root / "empty", any).error.fault == fault::empty);
    CHECK(parse_vocabulary(text, {"toy", {}, 287}).error == vocabulary_error{fault::torn, 0});
    CHECK(parse_vocabulary(text, {"toy", {}, 285}).error == vocabulary_error{fault::wrong_count, 0});
    CHECK(parse_vocabulary(text, condense::encodings::cl100k_base).error.fault == fault::torn);
    for (std::size_t size = text.size() - 1; size > text.size() - 40; --size) {
        auto const torn = parse_vocabulary(std::string_view{text}.substr(0, size), {"toy", {}, 286});
        CHECK(static_cast<bool>(torn) == (size == text.size() - 1));  // the last line end may be missing
    }
}

TEST_CASE("vocabulary: a sentence says what is wrong, and where") {
    auto const says = [](vocabulary_error error, std::string const& words) {
        CHECK(error.text() == "condense: bpe_vocabulary: " + words + " (see vocabulary_error)");
    };
    says({fault::duplicate_rank, 12}, "line 12: each rank must stand once");
    says({fault::missing_byte, 255}, "byte 255: each of the 256 bytes must be a token");
    says({fault::gap, 0}, "rank 0: ranks must follow each other without a gap");
    says({fault::torn, 0}, "the file must be whole: its end is missing");
    std::set<std::string> sentences;
    for (int each = 0; each <= static_cast<int>(fault::bad_image); ++each) {
        std::string const one{condense::sentence(static_cast<fault>(each))};
        CHECK(one.find(" must ") != std::string::npos);
        CHECK(sentences.insert(one).second);
    }
}

// The tables of a vocabulary: how they are built, where they stand, and whether they can be read.

using namespace condense::detail::bpe;
using condense::vocabulary_error, condense::vocabulary_fault;

std::optional<vocabulary_error> wrong(std::vector<std::string> const& tokens) {
    token_list list;
    for (auto const& token : tokens) list.add(token);
    built_tables out;
    return builder{}(list, split_scheme::o200k, out);
}

TEST_CASE("tables: each byte is a token, and each token stands once") {
    auto tokens = toy_bpe::trained(5);
    CHECK_FALSE(wrong(tokens));
    tokens.push_back(tokens[258]);
    CHECK(wrong(tokens) == vocabulary_error{vocabulary_fault::duplicate_token, 262});
    tokens.pop_back();
    tokens[0x41 ^ 0x55] = "another";
    CHECK(wrong(tokens) == vocabulary_error{vocabulary_fault::missing_byte, 0x41});
}

TEST_CASE("tables: a token has the pair that merging its bytes ends with, or none") {
    for (std::uint64_t seed = 20; seed < 24; ++seed) {
        auto const tokens = toy_bpe::wild(seed);
        auto const made = toy_bpe::vocabulary(tokens, split_scheme::o200k);
        auto const& in = made.tables();
        toy_bpe::naive const naive{tokens};
        std::size_t unmade = 0;
        for (std::uint32_t token = 0; token < made.size(); ++token) {
            auto const reached = naive.merged(tokens[token]).size() == 1;
            REQUIRE((in.parts[token].left != none) == reached);
            if (!reached) ++unmade;
            if (!reached || in.is_byte(token)) continue;
            REQUIRE(tokens[in.parts[token].left] + tokens[in.parts[token].right] == tokens[token]);
            REQUIRE(in.pair(in.parts[token].left, in.parts[token].right) == token);
        }
        CHECK(unmade != 0);
    }
}

TEST_CASE("tables: long tokens of one byte") {
    auto tokens = toy_bpe::trained(0);
    for (std::size_t size = 2; size <= 512; size *= 2) tokens.emplace_back(size, ' ');
    auto const made = toy_bpe::vocabulary(tokens);
    CHECK(made.tables().shape.longest == 512);
    CHECK(made.tables().shape.ordered);
    CHECK(made.tables().size(made.tables().parts[made.size() - 1].left) == 256);
}

TEST_CASE("tables: the way to a first code point of three bytes is that of its bytes") {
    auto tokens = toy_bpe::trained(0);
    for (auto const* token : {"\xE4\xB8", "\xE4\xB8\xAD", "\xE6\x96", "\xE6\x96\x87", "\xE4\xB8\xAD\xE6\x96\x87",
                              "\xEF\xBF", "\xEF\xBF\xBF", "\xE4\xB8\x41"})
        tokens.emplace_back(token);
    auto const made = toy_bpe::vocabulary(tokens);
    auto const& in = made.tables();
    REQUIRE(in.shape.ordered);
    std::size_t known = 0;
    for (unsigned point = 0; point < 0x10000; ++point) {
        auto const first = 0xE0 | point >> 12;
        auto const second = 0x80 | (point >> 6 & 0x3Fu);
        auto const third = 0x80 | (point & 0x3Fu);
        auto const before = in.first_nodes[first << 8 | second];
        auto const wanted = before == none ? none : in.edge(before & ~leaf_bit, static_cast<char>(third));
        REQUIRE(in.point_nodes[point] == wanted);
        known += wanted != none;
    }
    CHECK(known == 3);
    auto const from = in.point_nodes[0x4E2D] & ~leaf_bit;
    for (std::size_t point = 0; point < 0x10000; ++point) CHECK((in.step(from, point) != none) == (point == 0x6587));
    CHECK(in.token_at(in.step(from, 0x6587)) == 260);
    CHECK(in.ends_whole(0x4E2D));
    tiler tiled;
    CHECK(tiled(in, "\xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\x41\xE4\xB8\xEF\xBF\xBF").size() == 4);
    CHECK(tiled(in, "\xE4\xB8\xAC").size() == 2);
}

TEST_CASE("tables: whole tokens are found, and nothing else") {
    auto const tokens = toy_bpe::wild(9);
    auto const made = toy_bpe::vocabulary(tokens);
    auto const& in = made.tables();
    toy_bpe::naive const naive{tokens};
    for (std::uint32_t token = 0; token < made.size(); ++token) {
        CHECK(in.find(tokens[token]) == token);
        CHECK(in.text(token) == tokens[token]);
        auto const longer = tokens[token] + "q";
        CHECK((in.find(longer) == none) == (naive.piece(longer).size() != 1));
    }
    CHECK(in.find("") == none);
    CHECK(in.find(std::string(5'000, 'a')) == none);
}

TEST_CASE(
    "tables: sections follow each other, with the largest shapes too, in blocks of zero bytes at a multiple of a "
    "line") {
    constexpr auto most = std::numeric_limits<std::uint32_t>::max();
    table_shape const small{.tokens = 256, .bytes = 256, .slot_bits = 9, .pair_bits = 9, .edge_bits = 8};
    table_shape large{.tokens = most, .bytes = most, .nodes = most, .slot_bits = 40, .numbered = true};
    large.pair_bits = large.edge_bits = 40;
    for (auto const& of : {table_shape{}, small, large}) {
        layout const places{of};
        for (std::size_t section = 0; section < layout::sections; ++section) {
            CHECK(places.offsets[section] % 64 == 0);
            CHECK(places.offsets[section] >= (section == 0 ? 0 : places.offsets[section - 1]));
        }
        CHECK(places.size >= places.offsets.back() + of.bytes);
        CHECK(places.size > of.tokens * std::uint64_t{20});
    }
    for (auto const size :
         {std::size_t{1}, std::size_t{64}, std::size_t{1'000'000}, (std::size_t{1} << 21) + 7, std::size_t{5} << 20}) {
        table_block made{size};
        CHECK(made.size() == size);
        CHECK(reinterpret_cast<std::uintptr_t>(made.data()) % 64 == 0);
        CHECK(std::all_of(made.data(), made.data() + size, [](char byte) { return byte == 0; }));
        made.data()[size - 1] = 'x';
        auto const moved = std::move(made);
        CHECK(moved.data()[size - 1] == 'x');
    }
    CHECK(table_block{}.size() == 0);
}

TEST_CASE("tables: the check takes what the builder makes, and refuses shapes without end") {
    for (auto const& tokens : {toy_bpe::trained(0), toy_bpe::trained(300), toy_bpe::wild(1), toy_bpe::wild(2)}) {
        auto const made = toy_bpe::vocabulary(tokens);
        CHECK(is_sound(made.tables().shape));
        CHECK(table_check{made.tables()}());
    }
    auto const of = toy_bpe::vocabulary(10).tables().shape;
    for (auto const change :
         {+[](table_shape& each) { each.tokens = 0; }, +[](table_shape& each) { each.tokens = 0xFFFF'FFFF; },
          +[](table_shape& each) { each.pair_bits = 0; }, +[](table_shape& each) { each.key_bits = 63; },
          +[](table_shape& each) { each.slot_bits = 64; }, +[](table_shape& each) { each.edge_bits = 255; },
          +[](table_shape& each) { each.step_bits = 0; }, +[](table_shape& each) { each.nodes = 1u << 24; },
          +[](table_shape& each) { each.longest = 1'025; },
          +[](table_shape& each) { each.scheme = static_cast<split_scheme>(9); }}) {
        auto other = of;
        change(other);
        CHECK_FALSE(is_sound(other));
    }
}

// Whatever passes the check is read here, under the sanitizers too: wrong counts are no harm, other memory is.
TEST_CASE("tables: damaged ones are refused, or do no harm") {
    auto const made = toy_bpe::vocabulary(300, split_scheme::o200k);
    auto const& of = made.tables().shape;
    layout const places{of};
    auto const from = reinterpret_cast<char const*>(made.tables().pairs);
    toy_bpe::numbers any{77};
    std::size_t refused = 0;
    for (std::uint64_t round = 0; round < rounds(1'200); ++round) {
        auto const block = std::make_shared<table_block>(static_cast<std::size_t>(places.size));
        std::memcpy(block->data(), from, block->size());
        // Each section is as likely as each other; a word of it becomes small, large or another of its own.
        auto const section = any.below(layout::sections);
        auto const words = places.sizes[section] / 4;
        for (auto left = words == 0 ? 0 : 1 + any.below(40); left != 0; --left) {
            std::uint32_t word = 0;
            auto const at = places.offsets[section] + 4 * any.below(words);
            std::memcpy(&word, block->data() + places.offsets[section] + 4 * any.below(words), 4);
            if (any.below(3) == 0) word = static_cast<std::uint32_t>(any.below(600));
            if (any.below(8) == 0) word = 0xFFFF'FFFFu;
            std::memcpy(block->data() + at, &word, 4);
        }
        auto const tables = views(of, block->data());
        if (!table_check{tables}()) {
            ++refused;
            continue;
        }
        condense::bpe_counter counter{condense::bpe_vocabulary{block, tables}};
        auto const text = toy_bpe::text(any, 400) + std::string(200, 'a');
        CHECK(counter.count(text) <= 3 * text.size());
        CHECK(counter.encode(text).size() <= 3 * text.size());
    }
    CHECK(refused > rounds(1'200) / 4);
}

}  // namespace
