// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The reason why a vocabulary was not loaded, as a value: error.text() for people, error.fault for programs.

namespace condense {
inline namespace v1 {

/// What is wrong with the file of a vocabulary, or with its contents.
enum class vocabulary_fault : std::uint8_t {
    unreadable,       ///< the file does not exist, is not a regular file, or reading failed
    empty,            ///< no token at all
    bad_line,         ///< not base64, one space and a rank
    bad_base64,       ///< the first field is not base64 of at least one byte
    bad_rank,         ///< the second field is not a number of 21 bits
    long_token,       ///< a token of more bytes than any encoding has
    duplicate_rank,   ///< two lines have the same rank
    duplicate_token,  ///< two ranks have the same token
    gap,              ///< a rank is missing between others: the file lost lines
    torn,             ///< the file ends within a line, or has fewer tokens than the encoding
    wrong_count,      ///< more tokens than the encoding has: the file of another one
    missing_byte,     ///< one of the 256 bytes is not a token, so that some texts have no encoding
    bad_json,         ///< not a tokenizer.json of a BPE model over bytes
    unknown_split,    ///< the rules that split text are not those of a split_scheme
    bad_merges,       ///< merges name tokens that do not exist, or contradict each other in their order
    bad_image,        ///< not an image of this version, or damaged
};

/// The rule that the file breaks, as the end of an error text.
constexpr std::string_view sentence(vocabulary_fault fault) noexcept {
    switch (fault) {
        case vocabulary_fault::unreadable: return "the file must be a regular file that can be read";
        case vocabulary_fault::empty: return "the vocabulary must have tokens";
        case vocabulary_fault::bad_line: return "each line must be a token in base64, one space and its rank";
        case vocabulary_fault::bad_base64: return "each token must be base64 of at least one byte";
        case vocabulary_fault::bad_rank: return "each rank must be a decimal number below 2,097,151";
        case vocabulary_fault::long_token: return "each token must have at most 1,024 bytes";
        case vocabulary_fault::duplicate_rank: return "each rank must stand once";
        case vocabulary_fault::duplicate_token: return "each token must stand once";
        case vocabulary_fault::gap: return "ranks must follow each other without a gap";
        case vocabulary_fault::torn: return "the file must be whole: its end is missing";
        case vocabulary_fault::wrong_count:
            return "the vocabulary must be that of the encoding: it has too many tokens";
        case vocabulary_fault::missing_byte: return "each of the 256 bytes must be a token";
        case vocabulary_fault::bad_json: return "the file must be a tokenizer.json of a BPE model over bytes";
        case vocabulary_fault::unknown_split: return "the text must be split by the rules of a known scheme";
        case vocabulary_fault::bad_merges: return "merges must name tokens of the vocabulary, in an order";
        case vocabulary_fault::bad_image: return "the image must be whole and of this version";
    }
    return "";
}

/// A fault, and where it is.
struct vocabulary_error {
    vocabulary_fault fault = vocabulary_fault::unreadable;
    std::uint64_t at = 0;  ///< the line, from 1; the rank of a gap; the byte of missing_byte; 0 if there is no place

    /// The whole error text, such as
    /// "condense: bpe_vocabulary: line 12: each rank must stand once (see vocabulary_error)".
    std::string text() const {
        std::string out = "condense: bpe_vocabulary: ";
        if (fault == vocabulary_fault::missing_byte) out += "byte " + std::to_string(at) + ": ";
        else if (fault == vocabulary_fault::gap) out += "rank " + std::to_string(at) + ": ";
        else if (at != 0) out += "line " + std::to_string(at) + ": ";
        out += sentence(fault);
        return out += " (see vocabulary_error)";
    }

    friend constexpr bool operator==(vocabulary_error const&, vocabulary_error const&) = default;
};

}  // namespace v1
}  // namespace condense
