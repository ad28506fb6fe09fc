// SPDX-License-Identifier: BSL-1.0
#include <condense/core/part.hpp>

#include <initializer_list>

#include "core/constant.hpp"

namespace {

using condense::cost, condense::own_cost, condense::part_kind;

constexpr bool a_cost_of_nothing_is_still_given() {
    own_cost const none;
    own_cost const free{cost{}};
    return !none && free && *free == cost{} && !(none == free);
}

constexpr bool a_reset_cost_is_not_given() {
    own_cost given{cost::of({1'600})};
    if (!given || *given != cost::of({1'600})) return false;
    given.reset();
    return !given && given == own_cost{};
}

constexpr bool kinds_have_names_of_their_own() {
    auto const kinds = {part_kind::text,        part_kind::reasoning, part_kind::tool_call,
                        part_kind::tool_result, part_kind::media,     part_kind::other};
    for (auto const one : kinds)
        for (auto const other : kinds)
            if (name(one).empty() || (name(one) == name(other)) != (one == other)) return false;
    return name(part_kind::tool_call) == "tool call";
}

TEST_CASE("part: costs of their own, and names") {
    CHECK_CONSTANT(a_cost_of_nothing_is_still_given());
    CHECK_CONSTANT(a_reset_cost_is_not_given());
    CHECK_CONSTANT(kinds_have_names_of_their_own());
}

using condense::name, condense::role, condense::role_named;

constexpr bool names_are_read_back() {
    for (auto const which : {role::system, role::user, role::assistant, role::tool, role::other})
        if (role_named(name(which)) != which) return false;
    return true;
}

TEST_CASE("role: names and spellings") {
    CHECK_CONSTANT(names_are_read_back());
    // The spellings of the providers are known.
    CHECK_CONSTANT(role_named("developer") == role::system && role_named("human") == role::user &&
                   role_named("model") == role::assistant && role_named("ai") == role::assistant &&
                   role_named("function") == role::tool && role_named("toolResult") == role::tool);
    // Anything else is other.
    CHECK_CONSTANT(role_named("") == role::other && role_named("User") == role::other &&
                   role_named("user ") == role::other && role_named("narrator") == role::other);
}

}  // namespace
