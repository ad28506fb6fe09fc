// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/worth.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::at_least;
using condense::tokens;
using condense::usage;

constexpr bool any_gain_pays() {
    return condense::any_gain{}.pays(1_tokens, {}) && condense::any_gain{}.pays(0_tokens, {});
}
static_assert(any_gain_pays());

constexpr bool a_count_must_be_reached() {
    auto const worth = at_least(20'000_tokens);
    return worth.pays(20'000_tokens, {}) && !worth.pays(19'999_tokens, {.tokens = 1'000'000_tokens, .input = 5_tokens});
}
static_assert(a_count_must_be_reached());

/// Of the input, not of what is used; never rounded down.
constexpr bool a_share_of_the_input_must_be_reached() {
    auto const worth = at_least(10_pct);
    usage const before{.tokens = 10'000_tokens, .input = 101_tokens};
    return worth.pays(11_tokens, before) && !worth.pays(10_tokens, before) &&
           worth.pays(10_tokens, {.input = 100_tokens});
}
static_assert(a_share_of_the_input_must_be_reached());

constexpr bool figures_of_any_size_are_harmless() {
    for (auto const figure : {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63,
                              std::numeric_limits<std::uint64_t>::max()}) {
        if (!at_least(tokens{figure}).pays({figure}, {}) || !at_least(100_pct).pays({figure}, {.input = {figure}}))
            return false;
        if (figure != 0 && at_least(100_pct).pays({figure - 1}, {.input = {figure}})) return false;
    }
    return true;
}
static_assert(figures_of_any_size_are_harmless());

static_assert(at_least(5_tokens) == at_least(5_tokens) && at_least(5_pct) != at_least(6_pct));

}  // namespace

TEST_CASE("worth: what a batch must gain") {
    CHECK(any_gain_pays());
    CHECK(a_count_must_be_reached());
    CHECK(a_share_of_the_input_must_be_reached());
    CHECK(figures_of_any_size_are_harmless());
}
