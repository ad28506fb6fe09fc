// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

// How encodings split text into pieces before bytes are merged. There are three families of patterns: words regardless
// of case, words that end where case changes, and scripts apart; the flags say what differs within a family.

namespace condense {
inline namespace v1 {

/// The pattern of an encoding as values, usable as a template argument. Contractions are pieces of their own, or by
/// case the endings of words.
struct split_rules {
    bool by_case = false;        ///< a word ends where a capital follows, and marks belong to words
    bool takes_slashes = false;  ///< a run of signs takes the slashes that follow it, as well as the line ends
    bool whole_at_end = false;   ///< white space at the end of the text is one piece, with line ends or without
    bool by_script = false;      ///< runs of Han and kana are pieces (DeepSeek); see split_script.hpp
    std::uint8_t digits = 3;     ///< digits of a piece at most

    friend constexpr bool operator==(split_rules const&, split_rules const&) = default;
};

/// The patterns that are known, by the encoding that has them.
enum class split_scheme : std::uint8_t {
    cl100k,  ///< cl100k_base as of tiktoken 0.14, with `\s++$`; earlier versions end a piece at the last line end
    o200k,   ///< o200k_base, o200k_harmony, gpt-oss
    llama3,  ///< Llama 3 and later 3.x
    qwen,    ///< Qwen 2 to 3: each digit is a piece
    deepseek,  ///< DeepSeek V3; without windows, so slower
};

/// The rules of a scheme.
constexpr split_rules rules_of(split_scheme scheme) noexcept {
    switch (scheme) {
        case split_scheme::cl100k: return {.whole_at_end = true};
        case split_scheme::o200k: return {.by_case = true, .takes_slashes = true};
        case split_scheme::llama3: return {};
        case split_scheme::qwen: return {.digits = 1};
        case split_scheme::deepseek: return {.by_script = true};
    }
    return {};
}

/// A named encoding. A vocabulary with fewer or more tokens than `tokens` is refused; 0 accepts any number.
struct bpe_encoding {
    std::string_view name;
    split_scheme scheme = split_scheme::cl100k;
    std::uint32_t tokens = 0;  ///< without special ones
};

/// The encodings whose vocabularies OpenAI publishes, with their numbers of tokens.
namespace encodings {

inline constexpr bpe_encoding cl100k_base{"cl100k_base", split_scheme::cl100k, 100'256};
inline constexpr bpe_encoding o200k_base{"o200k_base", split_scheme::o200k, 199'998};

}  // namespace encodings

namespace detail::bpe {

/// Calls `visit` with the rules as a template argument, so that they cost no branches within a text.
template <class Visitor>
constexpr decltype(auto) with_rules(split_scheme scheme, Visitor&& visit) {
    switch (scheme) {
        case split_scheme::o200k: return visit.template operator()<rules_of(split_scheme::o200k)>();
        case split_scheme::llama3: return visit.template operator()<rules_of(split_scheme::llama3)>();
        case split_scheme::qwen: return visit.template operator()<rules_of(split_scheme::qwen)>();
        case split_scheme::deepseek: return visit.template operator()<rules_of(split_scheme::deepseek)>();
        default: return visit.template operator()<rules_of(split_scheme::cl100k)>();
    }
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
