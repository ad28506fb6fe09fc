// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/vocabulary_error.hpp>

#include <set>
#include <string>

#include "support/catch.hpp"

using condense::vocabulary_error;
using condense::vocabulary_fault;

TEST_CASE("vocabulary_error: a sentence says what is wrong, and where") {
    CHECK(vocabulary_error{vocabulary_fault::duplicate_rank, 12}.text() ==
          "condense: bpe_vocabulary: line 12: each rank must stand once (see vocabulary_error)");
    CHECK(vocabulary_error{vocabulary_fault::missing_byte, 255}.text() ==
          "condense: bpe_vocabulary: byte 255: each of the 256 bytes must be a token (see vocabulary_error)");
    CHECK(vocabulary_error{vocabulary_fault::gap, 0}.text() ==
          "condense: bpe_vocabulary: rank 0: ranks must follow each other without a gap (see vocabulary_error)");
    CHECK(vocabulary_error{vocabulary_fault::torn, 0}.text() ==
          "condense: bpe_vocabulary: the file must be whole: its end is missing (see vocabulary_error)");
}

TEST_CASE("vocabulary_error: each fault has a sentence of its own") {
    std::set<std::string> sentences;
    for (int fault = 0; fault <= static_cast<int>(vocabulary_fault::bad_image); ++fault) {
        std::string const one{condense::sentence(static_cast<vocabulary_fault>(fault))};
        CHECK(one.find(" must ") != std::string::npos);
        CHECK(sentences.insert(one).second);
    }
}
