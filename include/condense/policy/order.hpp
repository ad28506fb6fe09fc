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

/// `order.each_part(draft, f)` calls `f(part_ref) -> bool` for each part that is there, until f gives false.
template <class Order>
concept candidate_order = requires { typename Order::is_order; };

/// From the beginning of the conversation. Allocates nothing.
struct oldest_first_t {
    using is_order = void;
    template <class Draft, class Function>
    constexpr void each_part(Draft const& seen, Function&& f) const {
        bool more = true;
        for (auto const which : seen.groups()) {
            seen.each_part_of(which, [&](part_ref part) { more = more && f(part); });
            if (!more) return;
        }
    }
    friend constexpr bool operator==(oldest_first_t, oldest_first_t) = default;
};

/// By what the parts cost at present, the older of equals first.
struct largest_first_t {
    using is_order = void;
    template <class Draft, class Function>
    constexpr void each_part(Draft const& seen, Function&& f) const {
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
        for (auto const& next : found)
            if (!f(next.part)) return;
    }
    friend constexpr bool operator==(largest_first_t, largest_first_t) = default;
};

/// From what `protect` spares backwards: the first changed position is as late as it can be.
struct newest_first_t {
    using is_order = void;
    template <class Draft, class Function>
    constexpr void each_part(Draft const& seen, Function&& f) const {
        for (auto index = static_cast<std::uint32_t>(seen.outline().size()); index-- > 0;) {
            if (!seen.present(sequence{index})) continue;
            auto const& found = seen.outline().message_at(index);
            for (auto part_id = found.first_part + found.part_count; part_id-- > found.first_part;) {
                auto const part = seen.part_at(part_id);
                if (!seen.is_removed(part) && !f(part)) return;
            }
        }
    }
    friend constexpr bool operator==(newest_first_t, newest_first_t) = default;
};

inline constexpr oldest_first_t oldest_first{};
inline constexpr largest_first_t largest_first{};
inline constexpr newest_first_t newest_first{};

}  // namespace v1
}  // namespace condense
