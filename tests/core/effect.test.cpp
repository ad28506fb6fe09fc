// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pass.hpp>

#include <initializer_list>

#include "support/catch.hpp"

namespace {

using condense::effect;

constexpr auto all = {condense::shortens,    condense::externalizes, condense::drops,
                      condense::summarizes,  condense::keeps,        condense::asks,
                      condense::reads_clock, condense::reruns,       condense::restores};

constexpr bool effects_are_a_set() {
    for (auto const one : all)
        for (auto const other : all)
            if ((one & other) != (one == other)) return false;
    auto const three = condense::drops | condense::asks | condense::keeps;
    return (three & condense::asks) && !(three & condense::shortens) && !(condense::no_effects & three) &&
           (three | condense::drops) == three && (three & (condense::shortens | condense::keeps));
}
static_assert(effects_are_a_set());

/// What can be had back from a store is not lost.
constexpr bool losing_effects_take_content_away() {
    using condense::detail::losing;
    return (losing & condense::shortens) && (losing & condense::drops) && (losing & condense::summarizes) &&
           !(losing & condense::externalizes) && !(losing & condense::keeps) && !(losing & condense::asks);
}
static_assert(losing_effects_take_content_away());

struct with_auto {
    static constexpr auto effects = condense::drops;
};
struct with_none {
    static constexpr effect effects = condense::no_effects;
};
struct with_a_number {
    static constexpr int effects = 4;
};
struct without {};
static_assert(condense::detail::declares_effects<with_auto> && condense::detail::declares_effects<with_none>);
static_assert(!condense::detail::declares_effects<with_a_number> && !condense::detail::declares_effects<without>);

}  // namespace

TEST_CASE("effect: sets of effects") {
    CHECK(effects_are_a_set());
    CHECK(losing_effects_take_content_away());
}
