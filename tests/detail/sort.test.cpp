// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/sort.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

namespace detail = condense::detail;

struct pair {
    std::uint32_t part_id = 0;
    int label = 0;
    friend constexpr bool operator==(pair, pair) = default;
};

constexpr bool by_part(pair left, pair right) { return left.part_id < right.part_id; }

/// Columns below `kinds` in a scattered order: sorted, and equals in the order in which they came.
constexpr bool sorts(std::size_t count, std::uint32_t kinds) {
    std::vector<pair> values;
    for (std::size_t at = 0; at < count; ++at)
        values.push_back({static_cast<std::uint32_t>(at * 7919 % 1013) % kinds, static_cast<int>(at)});
    detail::sort(values, by_part);
    for (std::size_t at = 1; at < count; ++at) {
        if (values[at].part_id < values[at - 1].part_id) return false;
        if (values[at].part_id == values[at - 1].part_id && values[at].label < values[at - 1].label) return false;
    }
    return values.size() == count;
}

constexpr bool finds() {
    std::vector<pair> const values{{2, 20}, {3, 30}, {7, 70}, {100, 1'000}};
    for (auto const& one : values)
        if (detail::find_part(values, one.part_id) == nullptr || *detail::find_part(values, one.part_id) != one)
            return false;
    for (std::uint32_t const absent : {0u, 4u, 99u, 101u, ~0u})
        if (detail::find_part(values, absent) != nullptr) return false;
    return detail::find_part(std::vector<pair>{}, 0) == nullptr;
}

static_assert(toy::run_time_only || (sorts(0, 1) && sorts(1, 1) && sorts(13, 3) && finds()));

}  // namespace

TEST_CASE("sort: in order, and stable") {
    for (std::size_t count = 0; count < 70; ++count)
        for (std::uint32_t const kinds : {1u, 2u, 5u, 1'000u}) CHECK(sorts(count, kinds));
    CHECK(sorts(100'000, 900));
}

TEST_CASE("sort: what is there is found, and nothing else") { CHECK(finds()); }
