// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/environment.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "support/catch.hpp"

namespace {

using condense::detail::environment;
using condense::detail::process_environment;

static_assert(environment<process_environment>);
static_assert(environment<std::optional<std::string> (*)(std::string const&)>);
static_assert(!environment<char const* (*)(std::string const&)> && !environment<int (*)(std::string const&)>);

}  // namespace

TEST_CASE("environment: that of the process gives values and names") {
    process_environment const held;
    ::setenv("CONDENSE_TEST_NAME", "a=b", 1);
    auto const names = held.names();
    CHECK(std::find(names.begin(), names.end(), "CONDENSE_TEST_NAME") != names.end());
    CHECK(held("CONDENSE_TEST_NAME") == "a=b");
    ::unsetenv("CONDENSE_TEST_NAME");
    CHECK(held("CONDENSE_TEST_NAME") == std::nullopt);
    CHECK(held.names().size() + 1 == names.size());
}
