// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/forget_edits.hpp>
#include <condense/core/outline.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/sort.hpp>

// Frees what an outline and its view hold of released messages, of which a session keeps some bytes for saved states.

namespace condense {
inline namespace v1 {
namespace detail {

/// Which records of an outline and its view are still needed. A template, so that a program that only includes it
/// instantiates nothing.
template <class = void>
struct basic_needed_records {
    std::vector<std::uint32_t> indices = {};  ///< of messages before `dense`, ascending
    std::vector<std::uint32_t> parts = {};  ///< part_ids of theirs, ascending
    std::uint32_t dense = 0;  ///< all records from this message on stay
    std::uint32_t dense_part = 0;  ///< its first part_id

    /// All but those of groups that were released as a whole, and which no step names. From `dense` on more than half
    /// are needed, so that most reads find theirs at once. O(records + steps).
    static basic_needed_records of(outline const& facts, view const& edits) {
        std::vector<std::uint32_t> named;
        for (auto const& step : edits.steps())
            named.push_back(step.on_part ? facts.part_at(step.target).message_index : group{step.target}.id());
        detail::sort(named, [](std::uint32_t left, std::uint32_t right) { return left < right; });
        auto const size = static_cast<std::uint32_t>(facts.size());
        basic_needed_records result{.dense = size};
        std::size_t dense_count = 0;
        auto previous = size;
        facts.each_record_backward([&](std::uint32_t index) {
            while (!named.empty() && named.back() > index) named.pop_back();
            if ((named.empty() || named.back() != index) && facts.forgettable(index)) return;
            result.indices.push_back(index);
            if (2 * result.indices.size() >= size - index && facts.has_records(index, previous))
                result.dense = index, dense_count = result.indices.size();
            previous = index;
        });
        result.reverse(dense_count);
        result.dense_part = static_cast<std::uint32_t>(
            result.dense == size ? facts.part_count() : facts.message_at(result.dense).first_part);
        for (auto const index : result.indices) {
            for (auto const part_id : facts.message_at(index).parts()) result.parts.push_back(part_id);
        }
        return result;
    }

    /// A message whose records are not needed; `dense` if there is none.
    std::uint32_t first_needless() const noexcept {
        std::uint32_t index = 0;
        while (index < indices.size() && indices[index] == index) ++index;
        return index;
    }

private:
    /// Leaves out the first `count`, and turns the others round.
    void reverse(std::size_t count) {
        indices = std::vector<std::uint32_t>(indices.rbegin(), indices.rend() - static_cast<std::ptrdiff_t>(count));
    }
};
using needed_records = basic_needed_records<>;

/// Forgets the edits and the records of released messages; undo points get the new numbers of their steps. Nothing that
/// can be asked of a session depends on it, but for facts of a message that is no longer there. O(records + steps). If
/// it fails, the outline and the view may have forgotten different ones.
template <class Points>
void forget_released(outline& facts, view& edits, Points& undo_points) {
    auto const end = undo_points.empty() ? edits.steps().size() : as_size(undo_points.front().steps);
    auto const count = edit_forgetter::forget(facts, edits, end);
    for (auto& point : undo_points) point.steps -= count;
    auto const needed = needed_records::of(facts, edits);
    auto const needless = needed.first_needless();
    if (needless == needed.dense) return;
    edits.keep_only(needed);
    facts.keep_only(needed, needless);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
