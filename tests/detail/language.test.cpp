// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/address.hpp>

#include <algorithm>
#include <deque>
#include <forward_list>
#include <list>
#include <ranges>
#include <span>
#include <stdexcept>
#include <tuple>

#include <condense/detail/callable_ref.hpp>
#include <condense/detail/environment.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/detail/source.hpp>
#include <condense/detail/unset.hpp>

#include "core/constant.hpp"

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

using condense::invalid_configuration;
using namespace condense::detail;

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

static_assert(std::same_as<decltype(address_of(std::declval<int const&>())), int const*>);
static_assert(std::same_as<decltype(address_of(std::declval<int volatile&>())), int volatile*>);

void function() {}

TEST_CASE("address: where a value is, whatever its ampersand says") {
    CHECK_CONSTANT(ampersands_are_not_asked());
    CHECK(address_of(function) == function);
}

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

struct callable {
    void operator()() const noexcept {}
};
static_assert(!std::is_copy_constructible_v<scope_exit<callable>> &&
              !std::is_move_constructible_v<scope_exit<callable>>);
static_assert(!std::is_convertible_v<callable, scope_exit<callable>>);

/// How often a guard has called at the end of its scope.
constexpr int calls_of(bool released) {
    int calls = 0;
    // A function may return one: it is built where it is kept.
    auto const made = [&] { return scope_exit{[&] { ++calls; }}; };
    {
        auto count = made();
        if (released) count.release();
        if (calls != 0) return -1;
    }
    return calls;
}

TEST_CASE("scope_exit: calls its function once, also where an exception leaves the scope, unless it was released") {
    CHECK_CONSTANT(calls_of(false) == 1 && calls_of(true) == 0);
    int calls = 0;
    auto const leave = [&] {
        scope_exit const count{[&] { ++calls; }};
        throw std::runtime_error{"left"};
    };
    CHECK_THROWS_AS(leave(), std::runtime_error);
    CHECK(calls == 1);
}

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

constexpr bool holders_hold_it() {
    using held = layer<place>;
    std::tuple<held, layer<int>> both{held{.into = place{4}}, {}};
    std::optional<held> perhaps;
    if (perhaps) return false;
    perhaps = held{.into = place{5}};
    auto const copied = std::pair{both, perhaps};
    return std::get<0>(copied.first).into.where == 4 && copied.second->into.where == 5;
}

// These questions are what the holders ask.
static_assert(std::is_default_constructible_v<layer<place>>);
static_assert(std::is_default_constructible_v<std::tuple<layer<place>, layer<place>>>);
static_assert(std::is_constructible_v<layer<place>, place>);
static_assert(std::is_nothrow_move_constructible_v<std::optional<layer<place>>>);
static_assert(unset{} == unset{});

TEST_CASE("unset: a slot is what was given, or its default") {
    CHECK_CONSTANT(what_is_given_counts());
    // A slot of another type has its own default.
    CHECK_CONSTANT(layer<int, int, int>{} == layer<int, int, int>{0, 0, 0} && slot_default<int>(limit{7}) == 0 &&
                   slot_default<limit>(limit{7}).most == 7 && slot_default<limit>().most == 1);
    CHECK_CONSTANT(holders_hold_it());
}

static_assert(std::derived_from<invalid_configuration, std::exception>);

/// Whether a configuration that holds, or does not, can be part of a constant.
template <bool Holds>
concept constant = requires { typename std::bool_constant<(reject_unless(Holds, "condense: it must hold"), true)>; };

static_assert(constant<true>);
static_assert(!constant<false>, "an invalid configuration that is constant must not compile");

TEST_CASE("reject: the sentence is what the user is told") {
    CHECK_THROWS_WITH(reject_unless(false, "condense: it must hold"), "condense: it must hold");
    CHECK_NOTHROW(reject_unless(true, "condense: it must hold"));
    CHECK_THROWS_AS(reject("condense: never"), invalid_configuration);
}

static_assert(environment<process_environment>);
static_assert(environment<std::optional<std::string> (*)(std::string const&)>);
static_assert(!environment<char const* (*)(std::string const&)> && !environment<int (*)(std::string const&)>);

TEST_CASE("environment: that of the process gives values and names") {
    process_environment const held;
    ::setenv("CONDENSE_TEST_NAME", "a=b", 1);
    auto const names = held.names();
    CHECK(std::find(names.begin(), names.end(), "CONDENSE_TEST_NAME") != names.end());
    CHECK(held("CONDENSE_TEST_NAME") == "a=b");
    ::unsetenv("CONDENSE_TEST_NAME");
    CHECK((held("CONDENSE_TEST_NAME") == std::nullopt && held.names().size() + 1 == names.size()));
}

static_assert(history<std::vector<int>> && history<std::vector<int> const> && history<std::list<int>>);
static_assert(history<std::forward_list<int>> && history<int[3]> && history<std::span<int>>);
static_assert(std::is_same_v<source<std::vector<std::string> const>::message_type, std::string>);

/// A range of its own, found by argument-dependent lookup.
struct own_range {
    int values[3] = {1, 2, 3};
    friend int const* begin(own_range const& range) { return range.values; }
    friend int const* end(own_range const& range) { return range.values + 3; }
};
static_assert(history<own_range const>);

template <class Range>
std::vector<int> read(Range& range) {
    source<Range> const from{range};
    std::vector<int> out;
    for (std::size_t index = 0; index < from.size(); ++index) out.push_back(from[index]);
    return out;
}

constexpr int three[] = {3, 1, 2};
constexpr source<int const[3]> of_three{three};

TEMPLATE_TEST_CASE("source: elements by their index", "", std::vector<int>, std::deque<int>, std::list<int>,
                   std::forward_list<int>) {
    TestType values{5, 6, 7};
    CHECK(read(values) == std::vector<int>{5, 6, 7});
    TestType const& same = values;
    CHECK(read(same) == std::vector<int>{5, 6, 7});
    TestType none;
    CHECK(read(none).empty());
}

TEST_CASE("source: elements are the range's own, not copies, in ranges of other kinds, too") {
    std::vector<int> vector{5, 6, 7};
    std::list<int> list{5, 6, 7};
    source<std::vector<int>> const in_vector{vector};
    source<std::list<int>> const in_list{list};
    CHECK(&in_vector[2] == &vector[2]);
    CHECK(&in_list[2] == &list.back());
    in_list[0] = 9;
    CHECK(list.front() == 9);
    own_range const own;
    CHECK(read(own) == std::vector<int>{1, 2, 3});
    CHECK_CONSTANT(of_three.size() == 3 && of_three[0] == 3 && of_three[1] == 1 && of_three[2] == 2);
    auto const doubled = std::views::iota(1, 4) | std::views::transform([](int value) { return value * 2; });
    CHECK(read(doubled) == std::vector<int>{2, 4, 6});
    std::vector<int> four{1, 2, 3, 4};
    auto even = four | std::views::filter([](int value) { return value % 2 == 0; });
    CHECK(read(even) == std::vector<int>{2, 4});
}

}  // namespace
