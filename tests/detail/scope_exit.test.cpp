// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/scope_exit.hpp>

#include <stdexcept>

#include "support/catch.hpp"

using condense::detail::scope_exit;

namespace {

constexpr int calls(bool released) {
    int count = 0;
    {
        scope_exit guard{[&] { ++count; }};
        if (released) guard.release();
    }
    return count;
}
static_assert(calls(false) == 1);
static_assert(calls(true) == 0);

}  // namespace

TEST_CASE("a scope exit is called once at the end, and not after release") {
    CHECK(calls(false) == 1);
    CHECK(calls(true) == 0);
}

TEST_CASE("a scope exit is called when an exception leaves the scope") {
    int count = 0;
    CHECK_THROWS_AS(
        [&] {
            scope_exit const guard{[&] { ++count; }};
            throw std::runtime_error{"left"};
        }(),
        std::runtime_error);
    CHECK(count == 1);
}
