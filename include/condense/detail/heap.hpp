// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

// A vector whose first value goes before all others, for headers that avoid the cost of including <algorithm>.

namespace condense {
inline namespace v1 {
namespace detail {

/// Puts the value at `parent` in order with those below it. `a.before(b)` is a strict weak order.
template <class Value>
constexpr void sink(std::vector<Value>& heap, std::size_t parent) {
    auto moved = std::move(heap[parent]);
    for (auto child = 2 * parent + 1; child < heap.size(); child = 2 * parent + 1) {
        if (child + 1 < heap.size() && heap[child + 1].before(heap[child])) ++child;
        if (!heap[child].before(moved)) break;
        heap[parent] = std::move(heap[child]);
        parent = child;
    }
    heap[parent] = std::move(moved);
}

/// Puts all values in order, in linear time.
template <class Value>
constexpr void make_heap(std::vector<Value>& values) {
    for (auto parent = values.size() / 2; parent-- != 0;) sink(values, parent);
}

/// Removes the first value; there must be one.
template <class Value>
constexpr void pop_first(std::vector<Value>& heap) {
    if (heap.size() > 1) heap[0] = std::move(heap.back());
    heap.pop_back();
    if (!heap.empty()) sink(heap, 0);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
