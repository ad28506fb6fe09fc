// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/scope_exit.hpp>

#include <stdexcept>
#include <type_traits>

#include "support/catch.hpp"

namespace {

using condense::detail::scope_exit;

struct callable {
    void operator()() const noexcept {}
};
static_assert(!std::is_copy_constructible_v<scope_exit<callable>> &&
              !std::is_move_constructible_v<scope_exit<callable>>);
static_assert(!std::is_convertible_v<callable, scope_exit<callable>>);

constexpr bool calls_once_at_the_end() {
    int calls = 0;
    {
        scope_exit const count{[&] { ++calls; }};
        if (calls != 0) return false;
    }
    return calls == 1;
}
static_assert(calls_once_at_the_end());

constexpr bool calls_nothing_once_released() {
    int calls = 0;
    {
        scope_exit count{[&] { ++calls; }};
        count.release();
    }
    return calls == 0;
}
static_assert(calls_nothing_once_released());

/// A function may return one: it is built where it is kept.
constexpr bool is_returned_in_place() {
    int calls = 0;
    auto const made = [&] { return scope_exit{[&] { ++calls; }}; };
    {
        auto const count = made();
        if (calls != 0) return false;
    }
    return calls == 1;
}
static_assert(is_returned_in_place());

}  // namespace

TEST_CASE("scope_exit: calls its function once, unless it was released") {
    CHECK(calls_once_at_the_end());
    CHECK(calls_nothing_once_released());
    CHECK(is_returned_in_place());
}

TEST_CASE("scope_exit: calls its function where an exception leaves the scope") {
    int calls = 0;
    auto const leave = [&] {
        scope_exit const count{[&] { ++calls; }};
        throw std::runtime_error{"left"};
    };
    CHECK_THROWS_AS(leave(), std::runtime_error);
    CHECK(calls == 1);
}
