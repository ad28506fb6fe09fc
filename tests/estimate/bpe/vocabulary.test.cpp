// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/vocabulary.hpp>

#include <fstream>
#include <string>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"

using condense::bpe_encoding;
using condense::load_vocabulary;
using condense::parse_vocabulary;
using condense::split_scheme;
using condense::vocabulary_error;
using condense::vocabulary_fault;

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
    CHECK(parse_vocabulary(text, {"toy", {}, 287}).error == vocabulary_error{vocabulary_fault::torn, 0});
    CHECK(parse_vocabulary(text, {"toy", {}, 285}).error == vocabulary_error{vocabulary_fault::wrong_count, 0});
    CHECK(parse_vocabulary(text, condense::encodings::cl100k_base).error.fault == vocabulary_fault::torn);
    for (std::size_t size = text.size() - 1; size > text.size() - 40; --size) {
        auto const torn = parse_vocabulary(std::string_view{text}.substr(0, size), {"toy", {}, 286});
        CHECK(static_cast<bool>(torn) == (size == text.size() - 1));  // the last line end may be missing
    }
}

TEST_CASE("vocabulary: files that can not be read") {
    scratch::folder const root;
    std::ofstream{root / "empty", std::ios::binary};
    bpe_encoding const any{"any", {}, 0};
    CHECK(load_vocabulary(root / "absent", any).error.fault == vocabulary_fault::unreadable);
    CHECK(load_vocabulary(root / ".", any).error.fault == vocabulary_fault::unreadable);
    CHECK(load_vocabulary(root / "empty", any).error.fault == vocabulary_fault::empty);
}
