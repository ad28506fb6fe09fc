// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

// Reserves memory ahead, so that what follows cannot fail: grow(values, 3), then three push_backs.

namespace condense {
inline namespace v1 {
namespace detail {

/// Reserves memory for `more` elements of a vector or string. If it grows, it at least doubles the capacity, so that
/// many small steps stay linear: reserve alone may allocate exactly what it is asked for.
template <class Column>
constexpr void grow(Column& values, std::size_t more) {
    if (values.capacity() - values.size() >= more) return;
    auto const needed = values.size() + more;
    auto const doubled = values.capacity() * 2;
    values.reserve(needed > doubled ? needed : doubled);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
