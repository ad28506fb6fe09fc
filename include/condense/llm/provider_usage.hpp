// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <condense/core/quantity.hpp>

// The tokens that a provider reports for one request, in one form for all providers:
// provider_usage{.input = 1'000_tokens, .output = 500_tokens, .cache_read = 200_tokens}.

namespace condense {
inline namespace v1 {

/// The tokens of one request. `input` is without those read from or written to the provider's cache, as
/// Anthropic reports it; sums saturate, because providers supply the figures.
struct provider_usage {
    tokens input = {};        ///< sent, without those of the cache
    tokens output = {};       ///< of the answer, with its reasoning
    tokens cache_read = {};   ///< sent, and found in the cache
    tokens cache_write = {};  ///< sent, and put into the cache

    /// From a report whose input includes cached tokens, as those of OpenAI and Gemini do. More cached tokens than
    /// input count as all of the input.
    static constexpr provider_usage with_cached_in_input(tokens input, tokens output, tokens cached) noexcept {
        auto const read = cached < input ? cached : input;
        return {.input = input - read, .output = output, .cache_read = read};
    }

    /// Tokens sent.
    constexpr tokens request() const noexcept { return input + cache_read + cache_write; }
    /// Tokens of the conversation with the answer.
    constexpr tokens context() const noexcept { return request() + output; }
    /// False if the provider, or the client in between, reported nothing: no request has 0 tokens.
    constexpr bool reported() const noexcept { return request() != tokens{}; }

    friend constexpr bool operator==(provider_usage const&, provider_usage const&) = default;
};

/// Turns running totals into single requests, for clients that report the total of a conversation. Plain data.
/// `auto const cost = totals.next(reported);`
struct cumulative_usage {
    tokens total = {};   ///< of the newest report
    tokens latest = {};  ///< added by it
    bool known = false;  ///< whether `latest` is known

    /// What the report adds to the one before. The same total again is the same report, and adds the same; after a
    /// smaller one, which is the first of a new sum, it is unknown: nothing.
    constexpr std::optional<tokens> next(tokens reported) noexcept {
        if (reported != total) {
            known = reported > total;
            latest = reported - total;
            total = reported;
        }
        if (known) return latest;
        return std::nullopt;
    }

    friend constexpr bool operator==(cumulative_usage const&, cumulative_usage const&) = default;
};

}  // namespace v1
}  // namespace condense
