// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/detail/sort.hpp>

// In which order a layer takes what it could shorten: oldest_first, largest_first, or newest_first, which
// keeps the longest prefix for a provider's prompt cache.

namespace condense {
inline namespace v1 {

enum class candidate_order : std::uint8_t {
    oldest_first,   ///< from the beginning of the conversation
    largest_first,  ///< by what the parts cost at present, the older of equals first
    newest_first,   ///< from the end backwards: the first changed position is as late as it can be
};
using enum candidate_order;

struct candidate {
    part_ref part;
    v1::cost cost;
};

/// The parts that are there, in this order. Costs a look at each; the orders share one walk and one sort, so that a
/// program has both but once for each kind of draft.
template <class Draft>
constexpr std::vector<candidate> candidates(Draft const& seen, candidate_order order) {
    std::vector<candidate> found;
    for (auto const which : seen.groups())
        seen.each_part_of(which, [&](part_ref part) { found.push_back({part, seen.about(part).cost}); });
    if (order == oldest_first) return found;
    detail::sort(found, [order](candidate const& left, candidate const& right) {
        if (order == newest_first) return left.part.part_id > right.part.part_id;
        return left.cost > right.cost || (left.cost == right.cost && left.part.part_id < right.part.part_id);
    });
    return found;
}

}  // namespace v1
}  // namespace condense
