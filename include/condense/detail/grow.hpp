// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

// Room for what comes, so that taking it in cannot fail: grow(column, 3), then three push_backs.

namespace condense {
inline namespace v1 {
namespace detail {

/// Room for `more` elements; at least doubled where there is none, so that many small steps stay linear.
template <class Column>
constexpr void grow(Column& column, std::size_t more) {
    if (column.capacity() - column.size() >= more) return;
    auto const needed = column.size() + more;
    auto const doubled = column.capacity() * 2;
    column.reserve(needed > doubled ? needed : doubled);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
