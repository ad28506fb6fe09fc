// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/index_iterator.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>

#include "support/catch.hpp"

namespace {

struct digit {
    int value = 0;
    void operator&() const = delete;
};
struct digits {
    digit all[3] = {{7}, {8}, {9}};

    constexpr digit const& operator[](std::size_t index) const { return all[index]; }
    using iterator = condense::detail::index_iterator<digits, (&digits::operator[])>;
    constexpr iterator begin() const noexcept { return {*this, 0}; }
    constexpr iterator end() const noexcept { return {*this, 3}; }
};
/// A range that is gone before its iterators are.
struct view {
    digits const* of;

    using iterator = condense::detail::index_iterator<digits, (&digits::operator[])>;
    constexpr iterator begin() const noexcept { return of->begin(); }
};

static_assert(std::forward_iterator<digits::iterator> && !std::bidirectional_iterator<digits::iterator>);
static_assert(std::ranges::forward_range<digits const>);
static_assert(std::same_as<std::iter_value_t<digits::iterator>, digit> &&
              std::same_as<std::iter_reference_t<digits::iterator>, digit const&>);

constexpr bool elements_come_in_order() {
    digits const of;
    int number = 0;
    for (auto const& each : of) number = 10 * number + each.value;
    return number == 789;
}
static_assert(elements_come_in_order());

constexpr bool a_step_gives_the_old_place_or_the_new_one() {
    digits const of;
    auto at = of.begin();
    return (at++)->value == 7 && at->value == 8 && (++at)->value == 9 && at != of.end() && ++at == of.end();
}
static_assert(a_step_gives_the_old_place_or_the_new_one());

constexpr bool iterators_outlive_their_range() {
    digits const of;
    auto const at = view{&of}.begin();
    return at->value == 7 && at == of.begin();
}
static_assert(iterators_outlive_their_range());

static_assert(digits::iterator{} == digits::iterator{});

}  // namespace

TEST_CASE("index_iterator: elements of an owner by index") {
    CHECK(elements_come_in_order());
    CHECK(a_step_gives_the_old_place_or_the_new_one());
    CHECK(iterators_outlive_their_range());
}
