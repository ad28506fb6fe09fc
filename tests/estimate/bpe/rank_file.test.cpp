// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/rank_file.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

namespace {

using namespace std::string_view_literals;
using condense::vocabulary_error;
using condense::vocabulary_fault;
using condense::detail::bpe::read_ranks;
using condense::detail::bpe::token_list;

std::optional<vocabulary_error> wrong(std::string_view text) {
    token_list out;
    return read_ranks(text, out);
}

}  // namespace

TEST_CASE("rank_file: tokens stand in the order of ranks") {
    token_list found;
    REQUIRE_FALSE(read_ranks("YmM= 1\r\n\nYQ== 0\nAP8A 2", found));
    REQUIRE(found.size() == 3);
    CHECK(found[0] == "a");
    CHECK(found[1] == "bc");
    CHECK(found[2] == "\0\xFF\0"sv);
}

TEST_CASE("rank_file: what is no rank file is told by its line") {
    CHECK(wrong("") == vocabulary_error{vocabulary_fault::empty, 0});
    CHECK(wrong("\n\r\n\n") == vocabulary_error{vocabulary_fault::empty, 0});
    CHECK(wrong("YQ== 0\nYmM=\nYw== 2\n") == vocabulary_error{vocabulary_fault::bad_line, 2});
    CHECK(wrong("YQ== 0\nYm") == vocabulary_error{vocabulary_fault::torn, 2});
    CHECK(wrong("YQ== 0\n 1\n") == vocabulary_error{vocabulary_fault::bad_base64, 2});
    CHECK(wrong("YQ= 0\n") == vocabulary_error{vocabulary_fault::bad_base64, 1});
    CHECK(wrong("YR== 0\n") == vocabulary_error{vocabulary_fault::bad_base64, 1});
    CHECK(wrong("Y*== 0\n") == vocabulary_error{vocabulary_fault::bad_base64, 1});
    CHECK(wrong("YQ==YQ== 0\n") == vocabulary_error{vocabulary_fault::bad_base64, 1});
    CHECK(wrong("Y\0== 0\n"sv) == vocabulary_error{vocabulary_fault::bad_base64, 1});
    CHECK(wrong("YQ== \n") == vocabulary_error{vocabulary_fault::bad_rank, 1});
    CHECK(wrong("YQ== -1\n") == vocabulary_error{vocabulary_fault::bad_rank, 1});
    CHECK(wrong("YQ==  0\n") == vocabulary_error{vocabulary_fault::bad_rank, 1});
    CHECK(wrong("YQ== 0x\n") == vocabulary_error{vocabulary_fault::bad_rank, 1});
    CHECK(wrong("YQ== 2097151\n") == vocabulary_error{vocabulary_fault::bad_rank, 1});
    CHECK(wrong("YQ== 18446744073709551616\n") == vocabulary_error{vocabulary_fault::bad_rank, 1});
    CHECK(wrong("YQ== 0\nYg== 0\n") == vocabulary_error{vocabulary_fault::duplicate_rank, 2});
    CHECK(wrong("YQ== 0\nYg== 2\n") == vocabulary_error{vocabulary_fault::gap, 1});
    CHECK(wrong("YQ== 2097150\n") == vocabulary_error{vocabulary_fault::gap, 0});
    CHECK(wrong(std::string(1'000'000, 'A') + " 0\n") == vocabulary_error{vocabulary_fault::long_token, 1});
    CHECK(wrong(std::string(1'368, 'A') + " 0\n") == vocabulary_error{vocabulary_fault::long_token, 1});
    CHECK(wrong("{\"model\": {\"type\": \"BPE\"}}\n") == vocabulary_error{vocabulary_fault::bad_base64, 1});
}

TEST_CASE("rank_file: base64 by table is base64") {
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
