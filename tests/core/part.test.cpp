// SPDX-License-Identifier: BSL-1.0
#include <condense/core/part.hpp>

#include <initializer_list>

#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::own_cost;
using condense::part_kind;

constexpr bool a_cost_of_nothing_is_still_given() {
    own_cost const none;
    own_cost const free{cost{}};
    return !none && free && *free == cost{} && !(none == free);
}
static_assert(a_cost_of_nothing_is_still_given());

constexpr bool a_reset_cost_is_not_given() {
    own_cost given{cost::of({1'600})};
    if (!given || *given != cost::of({1'600})) return false;
    given.reset();
    return !given && given == own_cost{};
}
static_assert(a_reset_cost_is_not_given());

constexpr bool kinds_have_names_of_their_own() {
    auto const kinds = {part_kind::text,        part_kind::reasoning, part_kind::tool_call,
                        part_kind::tool_result, part_kind::media,     part_kind::other};
    for (auto const one : kinds)
        for (auto const other : kinds)
            if (name(one).empty() || (name(one) == name(other)) != (one == other)) return false;
    return name(part_kind::tool_call) == "tool call";
}
static_assert(kinds_have_names_of_their_own());

}  // namespace

TEST_CASE("part: costs of their own, and names") {
    CHECK(a_cost_of_nothing_is_still_given());
    CHECK(a_reset_cost_is_not_given());
    CHECK(kinds_have_names_of_their_own());
}
