// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <condense/core/quantity.hpp>

// What a provider reports for one request, in one form whoever reports it:
// provider_usage{.input = 1'000_tokens, .output = 500_tokens, .cache_read = 200_tokens}.

namespace condense {
inline namespace v1 {

/// The tokens of one request. `input` is without those read from or written to the provider's cache, as
/// Anthropic reports it; sums saturate, because providers supply the figures.
struct provider_usage {
    tokens input = {};
    tokens output = {};
    tokens cache_read = {};
    tokens cache_write = {};

    /// From a report whose input includes what was read from the cache, as OpenAI and Gemini give it; more
    /// cached than there was input counts as all of it.
    static constexpr provider_usage with_cached_in_input(tokens input, tokens output, tokens cached) noexcept {
        auto const read = cached < input ? cached : input;
        return {.input = input - read, .output = output, .cache_read = read};
    }

    /// What was sent.
    constexpr tokens request() const noexcept { return input + cache_read + cache_write; }
    /// What the conversation comes to with the answer.
    constexpr tokens context() const noexcept { return request() + output; }
    /// A request of no tokens is none: the provider, or the client between, told nothing.
    constexpr bool reported() const noexcept { return request() != tokens{}; }

    friend constexpr bool operator==(provider_usage const&, provider_usage const&) = default;
};

// Some clients report the sum of a whole conversation and not one request: what each report adds.

/// Plain data. `auto const cost = totals.next(reported);`
struct cumulative_usage {
    tokens total = {};   ///< the newest report
    tokens latest = {};  ///< what it added
    bool known = false;  ///< whether that is known

    /// What the report adds to the one before. The same total again is the same report, and adds what that added; a
    /// smaller one begins anew, and nobody knows what it adds.
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
