// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/source.hpp>

#include <cstddef>
#include <deque>
#include <forward_list>
#include <list>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace {

using condense::detail::history;
using condense::detail::source;

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

constexpr bool indexes_reach_every_element() {
    int const values[] = {3, 1, 2};
    source<int const[3]> const from{values};
    return from.size() == 3 && from[0] == 3 && from[1] == 1 && from[2] == 2;
}
static_assert(indexes_reach_every_element());

}  // namespace

TEMPLATE_TEST_CASE("source: elements by their index", "", std::vector<int>, std::deque<int>, std::list<int>,
                   std::forward_list<int>) {
    TestType values{5, 6, 7};
    CHECK(read(values) == std::vector<int>{5, 6, 7});
    TestType const& same = values;
    CHECK(read(same) == std::vector<int>{5, 6, 7});
    TestType none;
    CHECK(read(none).empty());
}

TEST_CASE("source: elements are the range's own, not copies") {
    std::vector<int> vector{5, 6, 7};
    std::list<int> list{5, 6, 7};
    source<std::vector<int>> const in_vector{vector};
    source<std::list<int>> const in_list{list};
    CHECK(&in_vector[2] == &vector[2]);
    CHECK(&in_list[2] == &list.back());
    in_list[0] = 9;
    CHECK(list.front() == 9);
}

TEST_CASE("source: ranges of other kinds") {
    own_range const own;
    CHECK(read(own) == std::vector<int>{1, 2, 3});
    CHECK(indexes_reach_every_element());
    auto const doubled = std::views::iota(1, 4) | std::views::transform([](int value) { return value * 2; });
    CHECK(read(doubled) == std::vector<int>{2, 4, 6});
    std::vector<int> values{1, 2, 3, 4};
    auto even = values | std::views::filter([](int value) { return value % 2 == 0; });
    CHECK(read(even) == std::vector<int>{2, 4});
}
