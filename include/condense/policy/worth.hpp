// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <condense/core/cache_prefix.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>

// Whether a batch of edits gains enough to be made: at_least(20'000_tokens), at_least(10_pct), or
// pays_off{.input_price = 3.0_per_million, .cached_price = 0.3_per_million}.

namespace condense {
inline namespace v1 {

/// The tokens saved must reach a count and a share of the input. By default any gain will do.
struct least_gain {
    tokens count = {};
    percent share = {};

    constexpr bool pays(tokens saved, usage const& before) const noexcept {
        return saved >= count && saved >= share.of_rounded_up(before.input);
    }
    friend constexpr bool operator==(least_gain const&, least_gain const&) = default;
};

constexpr least_gain at_least(tokens count) noexcept { return {.count = count}; }
constexpr least_gain at_least(percent share) noexcept { return {.share = share}; }

/// X6: the tokens saved over the coming requests must be worth more than what it costs to send anew what
/// the provider's prompt cache holds behind the first change. Growth of the conversation weighs on both
/// sides alike and is left out. Where requests come further apart than the cache lives, or there is none,
/// give the input price as cached price. A type beside `least_gain`, so that only programs with it have the code that
/// measures the cached prefix.
struct pays_off {
    price input_price = {3'000'000};  ///< of tokens that are not cached
    price cached_price = {300'000};   ///< of tokens read from the cache
    price write_price = {};           ///< of tokens written to it; the input price where a provider asks no more
    v1::turns turns = {10};           ///< requests still expected, at least one
    tokens block = {1};               ///< caches hold whole blocks of so many tokens

    constexpr bool pays(gain const& made) const noexcept {
        auto const without = bill(made.before.tokens, made.prefix_before);
        auto const with = bill(made.before.tokens - made.saved, made.prefix_after);
        return with < without;
    }
    constexpr void validate() const {
        detail::reject_unless(
            cached_price <= write_or_input() && turns.count != 0 && block.count != 0,
            "condense: pays_off: the cached price must be at most the others, turns and block at least 1 (see worth)");
    }
    friend constexpr bool operator==(pays_off const&, pays_off const&) = default;

private:
    constexpr price write_or_input() const noexcept { return write_price > input_price ? write_price : input_price; }

    /// The next request sends all behind the prefix anew, those after it nothing.
    constexpr std::uint64_t bill(tokens size, tokens prefix) const noexcept {
        auto const held = prefix.count < size.count ? prefix.count / block.count * block.count : size.count;
        using detail::add_capped;
        using detail::mul_capped;
        auto const first = add_capped(mul_capped(held, cached_price.millionths),
                                      mul_capped(size.count - held, write_or_input().millionths));
        return add_capped(first, mul_capped(mul_capped(size.count, cached_price.millionths), turns.count - 1));
    }
};

}  // namespace v1
}  // namespace condense
