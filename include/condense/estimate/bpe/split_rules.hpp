// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

// How an encoding cuts text into pieces before it merges bytes: three machines, for words
// without regard to case, with cuts where case changes, and with scripts apart, and what differs within each.

namespace condense {
inline namespace v1 {

/// The pattern of an encoding, as values. Contractions stand before words, or are their endings.
struct split_rules {
    bool by_case = false;        ///< words end where a capital follows; marks are of words
    bool takes_slashes = false;  ///< signs take `/` as well as line ends that follow them
    bool whole_at_end = false;   ///< white space that ends the text is one piece, line ends or not
    bool by_script = false;      ///< Han and kana stand apart (DeepSeek): a machine of its own
    std::uint8_t digits = 3;     ///< digits in a group at most

    friend constexpr bool operator==(split_rules const&, split_rules const&) = default;
};

enum class split_scheme : std::uint8_t {
    cl100k,  ///< tiktoken 0.14's cl100k_base, with `\s++$`; earlier ones end a piece at the last line end
    o200k,   ///< o200k_base, o200k_harmony, gpt-oss
    llama3,  ///< Llama 3 and later 3.x
    qwen,    ///< Qwen 2 to 3: each digit is a piece
    deepseek,  ///< DeepSeek V3, without a fast way yet
};

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

/// A named encoding. A vocabulary with fewer or more tokens than `tokens` is refused; 0 takes any.
struct bpe_encoding {
    std::string_view name;
    split_scheme scheme = split_scheme::cl100k;
    std::uint32_t tokens = 0;  ///< beside special ones
};

namespace encodings {

inline constexpr bpe_encoding cl100k_base{"cl100k_base", split_scheme::cl100k, 100'256};
inline constexpr bpe_encoding o200k_base{"o200k_base", split_scheme::o200k, 199'998};

}  // namespace encodings

namespace detail::bpe {

/// Calls `visit` with the rules as a template argument.
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
