// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

// Room for what comes, so that taking it in cannot fail: grow(part_id, 3), then three push_backs.

namespace condense {
inline namespace v1 {
namespace detail {

/// Room for `more` elements; at least doubled where there is none, so that many small steps stay linear.
template <class Column>
constexpr void grow(Column& part_id, std::size_t more) {
    if (part_id.capacity() - part_id.size() >= more) return;
    auto const needed = part_id.size() + more;
    auto const doubled = part_id.capacity() * 2;
    part_id.reserve(needed > doubled ? needed : doubled);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
