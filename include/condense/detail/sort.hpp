// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// Sorts and searches vectors, for headers that avoid the cost of including <algorithm>.

namespace condense {
inline namespace v1 {
namespace detail {

/// Sorts by merging; stable. O(n log n) for any input, with memory for a second vector. `before(a, b)` is a strict weak
/// order.
template <class Value, class Before>
constexpr void sort(std::vector<Value>& values, Before const& before) {
    std::vector<Value> merged;
    merged.reserve(values.size());
    for (std::size_t run = 1; run < values.size(); run *= 2) {
        merged.clear();
        for (std::size_t begin = 0; begin < values.size(); begin += 2 * run) {
            auto const middle = values.size() - begin < run ? values.size() : begin + run;
            auto const end = values.size() - middle < run ? values.size() : middle + run;
            auto left = begin;
            auto right = middle;
            while (left != middle || right != end) {
                // Of equal values the left one comes first, which keeps their order.
                bool const takes_right = left == middle || (right != end && before(values[right], values[left]));
                merged.push_back(std::move(values[takes_right ? right++ : left++]));
            }
        }
        values.swap(merged);
    }
}

/// The value with this `part_id` in a vector sorted by it, or null. A binary search.
template <class Value>
constexpr Value const* find_part(std::vector<Value> const& values, std::uint32_t part_id) noexcept {
    std::size_t begin = 0;
    for (auto end = values.size(); begin < end;) {
        auto const middle = begin + (end - begin) / 2;
        if (values[middle].part_id == part_id) return &values[middle];
        if (values[middle].part_id < part_id) begin = middle + 1;
        else end = middle;
    }
    return nullptr;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
