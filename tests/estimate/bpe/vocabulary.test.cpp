// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include <initializer_list>
#include <set>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"

// Vocabularies of rank files, and what is said of those that are none.

namespace {

using namespace std::string_view_literals;
using condense::bpe_encoding, condense::load_vocabulary, condense::parse_vocabulary, condense::split_scheme,
    condense::vocabulary_error;
using condense::detail::bpe::read_ranks, condense::detail::bpe::token_list;
using fault = condense::vocabulary_fault;

}  // namespace

TEST_CASE("vocabulary: tokens stand in the order of ranks") {
    token_list found;
    REQUIRE_FALSE(read_ranks("YmM= 1\r\n\nYQ== 0\nAP8A 2", found));
    REQUIRE(found.size() == 3);
    CHECK(found[0] == "a");
    CHECK(found[1] == "bc");
    CHECK(found[2] == "\0\xFF\0"sv);
}

TEST_CASE("vocabulary: a text that is no rank file is told by its line") {
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

TEST_CASE("vocabulary: of bytes and of a file") {
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
}

TEST_CASE("vocabulary: the number of tokens tells a torn file and another encoding's") {
    auto const text = toy_bpe::ranks(toy_bpe::trained(30));
    CHECK(parse_vocabulary(text, {"toy", {}, 287}).error == vocabulary_error{fault::torn, 0});
    CHECK(parse_vocabulary(text, {"toy", {}, 285}).error == vocabulary_error{fault::wrong_count, 0});
    CHECK(parse_vocabulary(text, condense::encodings::cl100k_base).error.fault == fault::torn);
    for (std::size_t size = text.size() - 1; size > text.size() - 40; --size) {
        auto const torn = parse_vocabulary(std::string_view{text}.substr(0, size), {"toy", {}, 286});
        CHECK(static_cast<bool>(torn) == (size == text.size() - 1));  // the last line end may be missing
    }
}

TEST_CASE("vocabulary: files that can not be read") {
    scratch::folder const root;
    std::ofstream{root / "empty", std::ios::binary};
    bpe_encoding const any{"any", {}, 0};
    CHECK(load_vocabulary(root / "absent", any).error.fault == fault::unreadable);
    CHECK(load_vocabulary(root / ".", any).error.fault == fault::unreadable);
    CHECK(load_vocabulary(root / "empty", any).error.fault == fault::empty);
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
