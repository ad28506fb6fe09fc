// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/reject.hpp>

#include <concepts>
#include <exception>
#include <string>
#include <type_traits>

#include "support/catch.hpp"

namespace {

using condense::invalid_configuration;
using condense::detail::reject;
using condense::detail::reject_unless;

static_assert(std::derived_from<invalid_configuration, std::exception>);

/// Whether a configuration that holds, or does not, can be part of a constant.
template <bool Holds>
concept constant = requires { typename std::bool_constant<(reject_unless(Holds, "condense: it must hold"), true)>; };

static_assert(constant<true>);
static_assert(!constant<false>, "an invalid configuration that is constant must not compile");

std::string refusal(bool holds) {
    try {
        reject_unless(holds, "condense: it must hold");
    } catch (std::exception const& thrown) { return thrown.what(); }
    return {};
}

}  // namespace

TEST_CASE("reject: the sentence is what the user is told") {
    CHECK(refusal(false) == "condense: it must hold");
    CHECK(refusal(true).empty());
    CHECK_THROWS_AS(reject("condense: never"), invalid_configuration);
}
