// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/script_weights.hpp>

#include <cstddef>

#include "support/catch.hpp"

namespace {

using condense::detail::script_weights;

/// A weight of 0 for characters would make megabytes of a script free.
constexpr bool every_script_costs_something(script_weights const& weights) {
    for (std::size_t at = 0; at < condense::detail::script_classes; ++at)
        if (weights.chars[at] + weights.runs[at] == 0) return false;
    return weights.text[0] != 0;
}
static_assert(every_script_costs_something(condense::detail::weights_of_gpt));
static_assert(every_script_costs_something(condense::detail::weights_of_claude));
static_assert(every_script_costs_something(condense::detail::weights_of_claude_4_7));
static_assert(every_script_costs_something(condense::detail::weights_of_gemini));
static_assert(every_script_costs_something(condense::detail::weights_of_other));

}  // namespace

TEST_CASE("weights of all families", "[estimate]") {
    REQUIRE(every_script_costs_something(condense::detail::weights_of_other));
}
