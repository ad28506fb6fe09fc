// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/detail/sort.hpp>

// In which order a layer takes what it could shorten: oldest_first, largest_first, or newest_first, which
// keeps the longest prefix for a provider's prompt cache. The walk stops as soon as enough is done.

namespace condense {
inline namespace v1 {

enum class candidate_order : std::uint8_t {
    oldest_first,   ///< from the beginning of the conversation; allocates nothing
    largest_first,  ///< by what the parts cost at present, the older of equals first
    newest_first,   ///< from the end backwards: the first changed position is as late as it can be
};
using enum candidate_order;

namespace detail {

template <class Draft>
constexpr auto parts_by_size(Draft const& seen) {
    struct candidate {
        part_ref part;
        cost size;
    };
    std::vector<candidate> found;
    for (auto const which : seen.groups())
        seen.each_part_of(which, [&](part_ref part) { found.push_back({part, seen.about(part).cost}); });
    detail::sort(found, [](candidate const& left, candidate const& right) {
        return left.size > right.size || (left.size == right.size && left.part.part_id < right.part.part_id);
    });
    return found;
}

}  // namespace detail

/// Calls f(part_ref) -> bool for each part that is there, until f gives false.
template <class Draft, class Function>
constexpr void each_candidate(Draft const& seen, candidate_order order, Function&& f) {
    bool more = true;
    if (order == oldest_first) {
        for (auto const which : seen.groups()) {
            seen.each_part_of(which, [&](part_ref part) { more = more && f(part); });
            if (!more) return;
        }
    } else if (order == largest_first) {
        for (auto const& next : detail::parts_by_size(seen))
            if (!f(next.part)) return;
    } else {
        for (auto index = static_cast<std::uint32_t>(seen.outline().size()); index-- > 0;) {
            if (!seen.present(sequence{index})) continue;
            auto const& found = seen.outline().message_at(index);
            for (auto part_id = found.first_part + found.part_count; part_id-- > found.first_part;) {
                auto const part = seen.part_at(part_id);
                if (!seen.is_removed(part) && !f(part)) return;
            }
        }
    }
}

}  // namespace v1
}  // namespace condense
