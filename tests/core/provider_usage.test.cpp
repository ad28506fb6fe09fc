// SPDX-License-Identifier: BSL-1.0
#include <condense/core/provider_usage.hpp>

#include <initializer_list>
#include <limits>

#include "core/constant.hpp"

namespace {

using namespace condense::literals;
using condense::provider_usage, condense::tokens;

constexpr bool cached_tokens_are_counted_once() {
    auto const told = provider_usage::with_cached_in_input(1'000_tokens, 500_tokens, 200_tokens);
    return told == provider_usage{.input = 800_tokens, .output = 500_tokens, .cache_read = 200_tokens} &&
           told.request() == 1'000_tokens && told.context() == 1'500_tokens;
}

constexpr tokens most{std::numeric_limits<std::uint64_t>::max()};

constexpr bool any_figures_are_harmless() {
    provider_usage const all{most, most, most, most};
    if (all.request() != most || all.context() != most || !all.reported()) return false;
    for (auto const input : figures_of_any_size)
        for (auto const cached : figures_of_any_size)
            if (provider_usage::with_cached_in_input({input}, {}, {cached}).request() != tokens{input}) return false;
    return provider_usage{.input = most, .output = 1_tokens}.context() == most;
}

constexpr bool sums_are_of_each_figure_and_saturate() {
    provider_usage const one{1_tokens, 2_tokens, 3_tokens, 4_tokens};
    return one + provider_usage{10_tokens, 20_tokens, 30_tokens, 40_tokens} ==
               provider_usage{11_tokens, 22_tokens, 33_tokens, 44_tokens} &&
           one + provider_usage{most, most, most, most} == provider_usage{most, most, most, most};
}

constexpr bool each_figure_has_its_price() {
    condense::prices const at{
        .input = 1_per_million, .cached = 10_per_million, .written = 100_per_million, .output = 1'000_per_million};
    using condense::money_of;
    return money_of({2_tokens, 3_tokens, 4_tokens, 5_tokens}, at) == 2 + 3'000 + 40 + 500 &&
           money_of({.input = 3_tokens, .output = 3_tokens}, {.input = {500'000}, .output = {500'000}}) == 2 &&
           money_of(provider_usage{}, at) == 0 && money_of({.input = most, .output = most}, at) == most.count;
}

TEST_CASE("provider_usage: requests and contexts") {
    CHECK_CONSTANT(cached_tokens_are_counted_once());
    // No more is cached than was sent. The sum stays that of the report.
    CHECK_CONSTANT(provider_usage::with_cached_in_input(10_tokens, 1_tokens, 11_tokens) ==
                       provider_usage{.output = 1_tokens, .cache_read = 10_tokens} &&
                   provider_usage::with_cached_in_input(10_tokens, 1_tokens, 10_tokens).request() == 10_tokens &&
                   provider_usage::with_cached_in_input(0_tokens, 0_tokens, 5_tokens) == provider_usage{});
    // A report is known by its request. Some servers read everything from the cache and report an input of 0.
    CHECK_CONSTANT(!provider_usage{}.reported() && !provider_usage{.output = 5_tokens}.reported() &&
                   provider_usage{.input = 1_tokens}.reported() && provider_usage{.cache_read = 1_tokens}.reported() &&
                   provider_usage{.cache_write = 1_tokens}.reported());
    CHECK_CONSTANT(any_figures_are_harmless());
    CHECK_CONSTANT(sums_are_of_each_figure_and_saturate());
    CHECK_CONSTANT(each_figure_has_its_price());
}

using condense::cumulative_usage;

constexpr bool a_smaller_total_begins_anew() {
    cumulative_usage totals;
    if (totals.next(0_tokens)) return false;  // nothing was reported
    static_cast<void>(totals.next(250_tokens));
    return !totals.next(40_tokens) && !totals.next(40_tokens) && totals.next(45_tokens) == 5_tokens &&
           totals.next({~std::uint64_t{0}}) == condense::tokens{~std::uint64_t{0} - 45};
}

TEST_CASE("cumulative_usage: a smaller total begins anew") { CHECK_CONSTANT(a_smaller_total_begins_anew()); }

}  // namespace
