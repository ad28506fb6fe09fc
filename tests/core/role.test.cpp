// SPDX-License-Identifier: BSL-1.0
#include <condense/core/part.hpp>

#include <initializer_list>

#include "support/catch.hpp"

namespace {

using condense::name;
using condense::role;
using condense::role_named;

constexpr bool names_are_read_back() {
    for (auto const which : {role::system, role::user, role::assistant, role::tool, role::other})
        if (role_named(name(which)) != which) return false;
    return true;
}
static_assert(names_are_read_back());

constexpr bool the_apis_spellings_are_known() {
    return role_named("developer") == role::system && role_named("human") == role::user &&
           role_named("model") == role::assistant && role_named("ai") == role::assistant &&
           role_named("function") == role::tool && role_named("toolResult") == role::tool;
}
static_assert(the_apis_spellings_are_known());

constexpr bool anything_else_is_other() {
    return role_named("") == role::other && role_named("User") == role::other && role_named("user ") == role::other &&
           role_named("narrator") == role::other;
}
static_assert(anything_else_is_other());

}  // namespace

TEST_CASE("role: names and spellings") {
    CHECK(names_are_read_back());
    CHECK(the_apis_spellings_are_known());
    CHECK(anything_else_is_other());
}
