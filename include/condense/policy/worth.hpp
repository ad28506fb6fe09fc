// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <condense/core/cache_prefix.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>

// Whether the edits of one layer gain enough to stand: at_least(20'000_tokens), at_least(10_pct), or
// pays_off{.input_price = 3.0_per_million, .cached_price = 0.3_per_million}. Otherwise they are rolled back. A type of
// your own says `pays(tokens saved, usage before)`, or `pays(gain)` if it needs the cached prefix.

namespace condense {
inline namespace v1 {

/// The tokens saved must reach a count and a share of the input. By default any gain is enough. Binds in routine runs.
struct least_gain {
    tokens count = {};
    percent share = {};

    constexpr bool pays(tokens saved, usage const& before) const noexcept {
        return saved >= count && saved >= share.of_rounded_up(before.input);
    }
    friend constexpr bool operator==(least_gain const&, least_gain const&) = default;
};

/// `at_least(20'000_tokens)`, `at_least(10_pct)`: equality is enough.
constexpr least_gain at_least(tokens count) noexcept { return {.count = count}; }
constexpr least_gain at_least(percent share) noexcept { return {.share = share}; }

/// Compares the price of the coming requests with the edits and without: an edit makes each of them cheaper, but the
/// next has to send again all that the provider's prompt cache holds behind the first change. Growth of the
/// conversation costs the same either way and is left out. Reasoning that is bound to what is edited leaves with it;
/// the model is taken to think it once more. If there is no cache, or it expires between requests, use the input price
/// as cached price.
///
/// Costs measuring the cached prefix after each layer. A type beside `least_gain`, so that only programs that use it
/// contain that code.
struct pays_off {
    price input_price = {3'000'000};  ///< of tokens that are not cached
    price cached_price = {300'000};   ///< of tokens read from the cache
    price write_price = {};           ///< of tokens written to it; the input price where a provider asks no more
    v1::turns turns = {10};           ///< requests still expected, at least one
    tokens block = {1};               ///< caches hold whole blocks of so many tokens
    price output_price = {15'000'000};  ///< of what the model writes, such as reasoning

    /// At the prices of a model: `pays_off::at(*find_model(name).facts.price, 20_turns)`.
    static constexpr pays_off at(prices const& all, v1::turns expected = {10}) noexcept {
        return {all.input, all.cached, all.written, expected, {1}, all.output};
    }

    constexpr bool pays(gain const& change) const noexcept {
        auto const without = bill(change.before.tokens, change.prefix_before);
        auto const with = bill(change.before.tokens - change.saved - change.bound, change.prefix_after);
        auto const again = detail::mul_capped(change.bound.count, output_price.millionths);
        return detail::add_capped(with, again) < without;
    }
    constexpr void validate() const {
        detail::reject_unless(
            cached_price <= write_or_input() && turns.count != 0 && block.count != 0,
            "condense: pays_off: the cached price must be at most the others, turns and block at least 1 (see worth)");
    }
    friend constexpr bool operator==(pays_off const&, pays_off const&) = default;

private:
    /// Of tokens that are not cached yet: providers that charge for writing do so in place of the input price.
    constexpr price write_or_input() const noexcept { return write_price > input_price ? write_price : input_price; }

    /// The price of all requests in millionths, capped: the next one is cached up to the prefix, in whole blocks, those
    /// after it entirely.
    constexpr std::uint64_t bill(tokens size, tokens prefix) const noexcept {
        auto const cached = prefix.count < size.count ? prefix.count / block.count * block.count : size.count;
        using detail::add_capped;
        using detail::mul_capped;
        auto const first = add_capped(mul_capped(cached, cached_price.millionths),
                                      mul_capped(size.count - cached, write_or_input().millionths));
        return add_capped(first, mul_capped(mul_capped(size.count, cached_price.millionths), turns.count - 1));
    }
};

}  // namespace v1
}  // namespace condense
