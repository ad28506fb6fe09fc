// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/address.hpp>

#include <concepts>
#include <utility>

#include "support/catch.hpp"

namespace elsewhere {

/// Neither its own `&` nor that of its namespace says where it is.
struct secretive {
    int value = 0;
    void operator&() const = delete;
};
struct misleading {
    int value = 0;
};
constexpr misleading* operator&(misleading const&) { return nullptr; }

template <class Value>
void address_of(Value&) = delete;

}  // namespace elsewhere

namespace {

using condense::detail::address_of;

template <class Given>
concept has_address = requires(Given&& given) { condense::detail::address_of(std::forward<Given>(given)); };

static_assert(has_address<int&> && has_address<int const&>);
static_assert(!has_address<int> && !has_address<int const>, "what is gone at the end of the line has none");

constexpr bool ampersands_are_not_asked() {
    elsewhere::secretive all[2] = {{1}, {2}};
    elsewhere::misleading const odd{3};
    return condense::detail::address_of(all[1])->value == 2 && condense::detail::address_of(all[1]) == all + 1 &&
           condense::detail::address_of(odd) != nullptr && condense::detail::address_of(odd)->value == 3;
}
static_assert(ampersands_are_not_asked());

static_assert(std::same_as<decltype(address_of(std::declval<int const&>())), int const*>);
static_assert(std::same_as<decltype(address_of(std::declval<int volatile&>())), int volatile*>);

void function() {}

}  // namespace

TEST_CASE("address: where a value is, whatever its ampersand says") {
    CHECK(ampersands_are_not_asked());
    CHECK(address_of(function) == function);
}
