// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/unset.hpp>

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "support/catch.hpp"

namespace {

using condense::detail::slot_default;
using condense::detail::unset;

/// As a store or a journal is: without a value of its own to begin with.
struct place {
    explicit constexpr place(int given) : where{given} {}
    place() = delete;
    int where;
    friend constexpr bool operator==(place const&, place const&) = default;
};
struct limit {
    int most = 1;
    friend constexpr bool operator==(limit, limit) = default;
};

/// A slot that has to be filled, one with a default of its own type, and one with a default for one type.
template <class Into, class Until = limit, class When = limit>
struct layer {
    Into into = slot_default<Into>();
    Until until = slot_default<Until>();
    When when = slot_default<When>(limit{7});
    friend constexpr bool operator==(layer const&, layer const&) = default;
};

constexpr bool what_is_given_counts() {
    layer const made{.into = place{3}};
    static_assert(std::is_same_v<decltype(made), layer<place> const>);
    return made.into.where == 3 && made.until.most == 1 && made.when.most == 7 && layer{.into = place{3}} == made;
}
static_assert(what_is_given_counts());

constexpr bool a_slot_of_another_type_has_its_own_default() {
    layer<int, int, int> const made{};
    return made.into == 0 && made.until == 0 && made.when == 0 && slot_default<int>(limit{7}) == 0 &&
           slot_default<limit>(limit{7}).most == 7 && slot_default<limit>().most == 1;
}
static_assert(a_slot_of_another_type_has_its_own_default());

constexpr bool holders_hold_it() {
    using held = layer<place>;
    std::tuple<held, layer<int>> both{held{.into = place{4}}, {}};
    std::optional<held> perhaps;
    if (perhaps) return false;
    perhaps = held{.into = place{5}};
    auto const copied = std::pair{both, perhaps};
    return std::get<0>(copied.first).into.where == 4 && copied.second->into.where == 5;
}
static_assert(holders_hold_it());

// These questions are what the holders ask.
static_assert(std::is_default_constructible_v<layer<place>>);
static_assert(std::is_default_constructible_v<std::tuple<layer<place>, layer<place>>>);
static_assert(std::is_constructible_v<layer<place>, place>);
static_assert(std::is_nothrow_move_constructible_v<std::optional<layer<place>>>);
static_assert(unset{} == unset{});

}  // namespace

TEST_CASE("unset: a slot is what was given, or its default") {
    CHECK(what_is_given_counts());
    CHECK(a_slot_of_another_type_has_its_own_default());
    CHECK(holders_hold_it());
}
