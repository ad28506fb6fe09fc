// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>

#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>

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
    tokens cleared = {};  ///< in the request, and left out by the provider itself, as context editing of Anthropic does
    std::uint64_t dropped = 0;  ///< parts of reasoning that the provider left out, as Anthropic does if told to

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
    constexpr provider_usage& operator+=(provider_usage const& more) noexcept {
        input = input + more.input;
        output = output + more.output;
        cache_read = cache_read + more.cache_read;
        cache_write = cache_write + more.cache_write;
        cleared = cleared + more.cleared;
        dropped = detail::add_capped(dropped, more.dropped);
        return *this;
    }
    friend constexpr provider_usage operator+(provider_usage left, provider_usage const& right) noexcept {
        return left += right;
    }
};

namespace detail {

/// The price of tokens in millionths of the currency, rounded down. Split, because the product may not fit 64 bits.
constexpr std::uint64_t cost_of(tokens count, price rate) noexcept {
    constexpr std::uint64_t million = 1'000'000;
    auto const of_units = mul_capped(count.count, rate.millionths / million);
    auto const fraction = rate.millionths % million;
    return add_capped(of_units, scale_down(count.count, fraction, million));
}

}  // namespace detail

/// What these tokens cost at the prices of a model: millionths of the currency, each of the four rounded down.
constexpr std::uint64_t money_of(provider_usage const& sum, prices const& at) noexcept {
    using detail::add_capped, detail::cost_of;
    return add_capped(add_capped(cost_of(sum.input, at.input), cost_of(sum.output, at.output)),
                      add_capped(cost_of(sum.cache_read, at.cached), cost_of(sum.cache_write, at.written)));
}

/// Turns running totals into single requests, for clients that report the total of a conversation. Plain data.
/// `auto const cost = totals.next(reported);`
struct cumulative_usage {
    tokens total = {};  ///< of the newest report
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
