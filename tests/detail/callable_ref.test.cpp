// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/callable_ref.hpp>

#include <string>
#include <type_traits>

#include "support/catch.hpp"

using condense::detail::callable_ref;

static_assert(sizeof(callable_ref<void()>) == 2 * sizeof(void*) &&
              std::is_trivially_copyable_v<callable_ref<int(int)>>);

TEST_CASE("a reference to a callable passes arguments and results on, references as references") {
    std::string held = "a";
    auto const append = [&](std::string const& more) -> std::string& { return held += more; };
    callable_ref<std::string&(std::string const&)> const call{append};
    auto const copy = call;
    CHECK(&copy("b") == &held);
    CHECK(held == "ab");
    auto const count = [calls = 0]() { return calls; };
    CHECK(callable_ref<int()>{count}() == 0);
}
