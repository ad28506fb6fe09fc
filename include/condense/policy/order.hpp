// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/detail/sort.hpp>

// The order in which a layer considers parts: oldest_first, largest_first, or newest_first, which keeps the longest
// prefix for a provider's prompt cache. With a target, what comes late in the order may never be edited.

namespace condense {
inline namespace v1 {

/// `compress{.order = newest_first}`.
enum class candidate_order : std::uint8_t {
    oldest_first,   ///< from the beginning of the conversation
    largest_first,  ///< by what the parts cost at present, the older of equals first
    newest_first,   ///< from the end backwards: the first changed position is as late as it can be
};
using enum candidate_order;

/// A part that could be shortened, with its present cost.
struct candidate {
    part_ref part;
    v1::cost cost;
};

/// The present parts in this order. Reads no text; allocates one entry for each part and sorts them unless
/// oldest_first. The order is a value, not a template parameter, so that a program has this code once for each kind of
/// draft.
template <class Draft>
std::vector<candidate> candidates(Draft const& draft, candidate_order order) {
    std::vector<candidate> result;
    for (auto const which : draft.groups())
        draft.each_part_of(which, [&](part_ref part) { result.push_back({part, draft.about(part).cost}); });
    if (order == oldest_first) return result;
    detail::sort(result, [order](candidate const& left, candidate const& right) {
        if (order == newest_first) return left.part.part_id > right.part.part_id;
        return left.cost > right.cost || (left.cost == right.cost && left.part.part_id < right.part.part_id);
    });
    return result;
}

}  // namespace v1
}  // namespace condense
