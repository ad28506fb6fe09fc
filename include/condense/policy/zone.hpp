// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <condense/core/edit.hpp>
#include <condense/core/handles.hpp>
#include <condense/core/part.hpp>
#include <condense/core/usage.hpp>

// Which places of a conversation a protection by position holds, and how pressure eases it.

namespace condense {
inline namespace v1 {

namespace detail {

/// Places below `head` or from `tail` on. A message has the place 2 * index + 1, the summary that stands
/// before it 2 * index.
struct zone {
    std::uint32_t head = 0;
    std::uint32_t tail = none32;

    constexpr bool holds(std::uint32_t place) const noexcept { return place < head || place >= tail; }
    friend constexpr bool operator==(zone, zone) = default;
    constexpr zone joined(zone other) const noexcept {
        return {head > other.head ? head : other.head, tail < other.tail ? tail : other.tail};
    }
};

constexpr std::uint32_t place_of(std::uint32_t index) noexcept { return 2 * index + 1; }

template <class Reader>
constexpr std::uint32_t places(Reader const& seen) noexcept {
    return static_cast<std::uint32_t>(2 * seen.outline().size());
}
template <class Reader>
constexpr bool is_there(Reader const& seen, std::uint32_t place) noexcept {
    return place % 2 == 0 ? seen.present(group{place / 2}.summary()) : seen.present(sequence{place / 2});
}
template <class Reader>
constexpr cost cost_at(Reader const& seen, std::uint32_t place) noexcept {
    return place % 2 == 0 ? seen.about(group{place / 2}.summary()).cost : seen.message_cost(place / 2);
}

/// How hard a layer may press, and what shares are of.
struct pressure_level {
    unsigned pressure = 0;
    bool top = false;
    messages message_limit = {};  ///< of `when`, where it has one
    void const* policy = nullptr;  ///< the whole of which a policy is a part
    bool (*exempt)(void const*, part_view const&) = nullptr;  ///< what it protects by content

    constexpr std::uint64_t eased(std::uint64_t count) const noexcept {
        return top ? 0 : count >> (pressure < 63 ? pressure : 63);
    }
    /// The same, but the newest one stays up to the top: A3.
    constexpr std::uint64_t eased_to_one(std::uint64_t count) const noexcept {
        auto const left = eased(count);
        return left == 0 && count != 0 && !top ? 1 : left;
    }
};

/// The place after the first `count` messages that are there.
template <class Reader>
constexpr std::uint32_t after_first(Reader const& seen, std::uint64_t count) noexcept {
    std::uint32_t place = 0;
    for (; count != 0 && place < places(seen); ++place)
        if (is_there(seen, place)) --count;
    return place;
}

/// The place of the first of the last messages for which `fits(place)` stays true.
template <class Reader, class Fits>
constexpr std::uint32_t before_last(Reader const& seen, Fits fits) noexcept {
    auto begin = places(seen);
    for (auto place = begin; place-- > 0;) {
        if (!is_there(seen, place)) continue;
        if (!fits(place)) break;
        begin = place;
    }
    return begin;
}

template <class Reader>
constexpr std::uint32_t last_messages(Reader const& seen, std::uint64_t count) noexcept {
    return before_last(seen, [&](std::uint32_t) { return count != 0 && count-- != 0; });
}

/// Results of the message, one for each call, but for those that are exempt.
template <class Reader>
constexpr std::uint64_t results_in(Reader const& seen, std::uint32_t index, pressure_level const& how) {
    std::uint64_t count = 0;
    auto last = none32;
    auto const add = [&](part_ref part) {
        auto const& found = seen.outline().part_at(part.part_id);
        if (found.kind != part_kind::tool_result || (count != 0 && found.call != none32 && found.call == last)) return;
        ++count;
        last = found.call;
    };
    if (how.exempt == nullptr) seen.each_part_of(sequence{index}, add);
    else
        seen.each_part(sequence{index}, [&](part_ref at, part_view const& part) {
            if (!how.exempt(how.policy, part)) add(at);
        });
    return count;
}

template <class Reader>
constexpr std::uint32_t newest_within(Reader const& seen, cost limit) noexcept {
    cost sum;
    return before_last(seen, [&](std::uint32_t place) { return (sum += cost_at(seen, place)) <= limit; });
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
