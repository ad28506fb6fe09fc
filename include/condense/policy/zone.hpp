// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <condense/core/edit.hpp>
#include <condense/core/handles.hpp>
#include <condense/core/part.hpp>
#include <condense/core/usage.hpp>

// The positions that a protection holds, and how pressure eases them. A position is a "place": a message has the place
// 2 * index + 1, the summary that stands before it 2 * index, so that one order covers both.

namespace condense {
inline namespace v1 {

namespace detail {

/// The places below `head`, and those from `tail` on. By default none.
struct zone {
    std::uint32_t head = 0;
    std::uint32_t tail = none32;

    constexpr bool holds(std::uint32_t place) const noexcept { return place < head || place >= tail; }
    friend constexpr bool operator==(zone, zone) = default;
    /// The places of either.
    constexpr zone joined(zone other) const noexcept {
        return {head > other.head ? head : other.head, tail < other.tail ? tail : other.tail};
    }
};

constexpr std::uint32_t place_of(std::uint32_t index) noexcept { return 2 * index + 1; }

/// One past the last place, whether or not messages are present there.
template <class Reader>
constexpr std::uint32_t place_count(Reader const& reader) noexcept {
    return static_cast<std::uint32_t>(2 * reader.outline().size());
}
template <class Reader>
constexpr cost cost_at(Reader const& reader, std::uint32_t place) noexcept {
    return place % 2 == 0 ? reader.about(group{place / 2}.summary()).cost : reader.message_cost(place / 2);
}

/// What a protection is bound with: the pressure of the pass, and what its shares are of.
struct pressure_level {
    unsigned pressure = 0;                                    ///< 0 in a routine run
    bool top = false;                                         ///< the last resort: positions are lifted
    messages message_limit = {};                              ///< of `when`; 0 if it has none
    void const* policy = nullptr;  ///< the whole policy of which the present one is a part
    bool (*exempt)(void const*, part_view const&) = nullptr;  ///< what `policy` protects by content; may be null

    /// The count halved with each step of pressure; 0 at the top.
    constexpr std::uint64_t eased(std::uint64_t count) const noexcept {
        return top ? 0 : count >> (pressure < 63 ? pressure : 63);
    }
    /// The same, but at least one until the top: the newest message is the one that the model is to answer.
    constexpr std::uint64_t eased_to_one(std::uint64_t count) const noexcept {
        auto const eased_count = eased(count);
        return eased_count == 0 && count != 0 && !top ? 1 : eased_count;
    }
};

/// The place after the first `count` present messages and summaries.
template <class Reader>
constexpr std::uint32_t after_first(Reader const& reader, std::uint64_t count) noexcept {
    std::uint32_t end = 0;
    for (; count != 0 && end < place_count(reader); --count) {
        end = reader.next_sent(end);
        if (end < place_count(reader)) ++end;
    }
    return end;
}

/// Walks backwards from the end while `fits(place)` is true; the place of the last that fitted. Absent places are
/// skipped.
template <class Reader, class Fits>
constexpr std::uint32_t before_last(Reader const& reader, Fits fits) noexcept {
    auto begin = place_count(reader);
    for (auto place = reader.previous_sent(begin); place != none32 && fits(place); place = reader.previous_sent(place))
        begin = place;
    return begin;
}

/// The place of the first of the last `count` present messages and summaries.
template <class Reader>
constexpr std::uint32_t last_messages(Reader const& reader, std::uint64_t count) noexcept {
    return before_last(reader, [&](std::uint32_t) { return count != 0 && count-- != 0; });
}

/// How many results the message holds, several for one call counting as one. Reads texts only if some are exempt.
template <class Reader>
constexpr std::uint64_t results_in(Reader const& reader, std::uint32_t index, pressure_level const& level) {
    std::uint64_t count = 0;
    auto last = none32;
    auto const add = [&](part_ref part) {
        auto const& result = reader.outline().part_at(part.part_id);
        if (result.kind != part_kind::tool_result || (count != 0 && result.call != none32 && result.call == last))
            return;
        ++count;
        last = result.call;
    };
    if (level.exempt == nullptr) reader.each_part_of(sequence{index}, add);
    else
        reader.each_part(sequence{index}, [&](part_ref ref, part_view const& part) {
            if (!level.exempt(level.policy, part)) add(ref);
        });
    return count;
}

/// The place of the first of the newest messages that together cost at most `limit`.
template <class Reader>
constexpr std::uint32_t newest_within(Reader const& reader, cost limit) noexcept {
    cost sum;
    return before_last(reader, [&](std::uint32_t place) { return (sum += cost_at(reader, place)) <= limit; });
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
