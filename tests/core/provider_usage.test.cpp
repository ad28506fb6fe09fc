// SPDX-License-Identifier: BSL-1.0
#include <condense/core/provider_usage.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::provider_usage;
using condense::tokens;

/// T92
constexpr bool the_context_is_all_that_was_sent_and_the_answer() {
    provider_usage const told{
        .input = 1'000_tokens, .output = 500_tokens, .cache_read = 200_tokens, .cache_write = 100_tokens};
    return told.context() == 1'800_tokens && told.request() == 1'300_tokens && told.reported();
}
static_assert(the_context_is_all_that_was_sent_and_the_answer());

constexpr bool cached_tokens_are_counted_once() {
    auto const told = provider_usage::with_cached_in_input(1'000_tokens, 500_tokens, 200_tokens);
    return told == provider_usage{.input = 800_tokens, .output = 500_tokens, .cache_read = 200_tokens} &&
           told.request() == 1'000_tokens && told.context() == 1'500_tokens;
}
static_assert(cached_tokens_are_counted_once());

/// The sum stays that of the report.
constexpr bool no_more_is_cached_than_was_sent() {
    return provider_usage::with_cached_in_input(10_tokens, 1_tokens, 11_tokens) ==
               provider_usage{.output = 1_tokens, .cache_read = 10_tokens} &&
           provider_usage::with_cached_in_input(10_tokens, 1_tokens, 10_tokens).request() == 10_tokens &&
           provider_usage::with_cached_in_input(0_tokens, 0_tokens, 5_tokens) == provider_usage{};
}
static_assert(no_more_is_cached_than_was_sent());

/// Some servers read everything from the cache and report an input of 0.
constexpr bool a_report_is_known_by_its_request() {
    return !provider_usage{}.reported() && !provider_usage{.output = 5_tokens}.reported() &&
           provider_usage{.input = 1_tokens}.reported() && provider_usage{.cache_read = 1_tokens}.reported() &&
           provider_usage{.cache_write = 1_tokens}.reported();
}
static_assert(a_report_is_known_by_its_request());

constexpr bool figures_of_any_size_are_harmless() {
    constexpr tokens most{std::numeric_limits<std::uint64_t>::max()};
    provider_usage const all{most, most, most, most};
    if (all.request() != most || all.context() != most || !all.reported()) return false;
    for (auto const input : {std::uint64_t{0}, std::uint64_t{1} << 63, most.count})
        for (auto const cached : {std::uint64_t{0}, std::uint64_t{1} << 63, most.count})
            if (provider_usage::with_cached_in_input({input}, {}, {cached}).request() != tokens{input}) return false;
    return provider_usage{.input = most, .output = 1_tokens}.context() == most;
}
static_assert(figures_of_any_size_are_harmless());

constexpr bool sums_are_of_each_figure_and_saturate() {
    constexpr tokens most{std::numeric_limits<std::uint64_t>::max()};
    provider_usage const one{1_tokens, 2_tokens, 3_tokens, 4_tokens};
    return one + provider_usage{10_tokens, 20_tokens, 30_tokens, 40_tokens} ==
               provider_usage{11_tokens, 22_tokens, 33_tokens, 44_tokens} &&
           one + provider_usage{most, most, most, most} == provider_usage{most, most, most, most};
}
static_assert(sums_are_of_each_figure_and_saturate());

constexpr bool each_figure_has_its_price() {
    condense::prices const at{
        .input = 1_per_million, .cached = 10_per_million, .written = 100_per_million, .output = 1'000_per_million};
    constexpr tokens most{std::numeric_limits<std::uint64_t>::max()};
    using condense::money_of;
    return money_of({2_tokens, 3_tokens, 4_tokens, 5_tokens}, at) == 2 + 3'000 + 40 + 500 &&
           money_of({.input = 3_tokens, .output = 3_tokens}, {.input = {500'000}, .output = {500'000}}) == 2 &&
           money_of(provider_usage{}, at) == 0 && money_of({.input = most, .output = most}, at) == most.count;
}
static_assert(each_figure_has_its_price());

}  // namespace

TEST_CASE("provider_usage: requests and contexts") {
    CHECK(the_context_is_all_that_was_sent_and_the_answer());
    CHECK(cached_tokens_are_counted_once());
    CHECK(no_more_is_cached_than_was_sent());
    CHECK(a_report_is_known_by_its_request());
    CHECK(figures_of_any_size_are_harmless());
    CHECK(sums_are_of_each_figure_and_saturate());
    CHECK(each_figure_has_its_price());
}
