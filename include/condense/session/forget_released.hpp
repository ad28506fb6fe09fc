// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/outline.hpp>
#include <condense/core/saved_edits.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/sort.hpp>

// Frees all that an outline and its view hold of released messages.

namespace condense {
inline namespace v1 {
namespace detail {

/// Makes an outline and its view anew of the messages that are left. A template, so that a program that only includes
/// it instantiates nothing.
template <class = void>
struct basic_released_forgetter {
    /// Some messages must be released, each with its whole group, and nothing may go back to before it. All that can be
    /// asked of the messages that are left stays as it is, and so do their edits; of a summary that was dropped, so
    /// that it can be brought back, the latest in its place. Changes nothing if it fails. O(what is left, and its
    /// edits).
    static void forget(outline& facts, view& edits) {
        auto const needed = needed_steps(facts, edits);
        std::vector<std::uint32_t> places;
        for (std::size_t index = 0; index < needed.size(); ++index)
            if (auto const& step = edits.steps()[index]; needed[index] && !step.on_part)
                if (auto const place = group{step.target}.id(); facts.gone(place)) places.push_back(place);
        sort(places, [](std::uint32_t left, std::uint32_t right) { return left < right; });
        auto left = facts.without_released(places);
        view edited;
        edited.bind({}, edits.binds());
        edited.place_all(left);
        edited.reserve_edits(needed.size(), edits.texts().size());
        std::vector<std::uint64_t> numbers(needed.size() + 1);  // of the steps anew
        for (std::size_t index = 0; index < needed.size(); ++index) {
            if (!needed[index]) continue;
            auto const& step = edits.steps()[index];
            auto edit = saved_edits::of(facts, edits, step);
            auto const undone = as_size(edit.undoes);
            if (saved_edits::redo(left, edited, std::move(edit), step.after, numbers[undone]))
                numbers[index + 1] = edited.steps().size();
        }
        edited.take_facts_of(edits);
        facts = std::move(left);
        edits = std::move(edited);
    }

private:
    /// The step that wrote the summary which was dropped last in a place.
    struct lost_summary {
        std::uint32_t part_id = 0;  ///< the group before which it stood
        std::uint32_t written = 0;  ///< plus one
    };

    /// By index of the step.
    static std::vector<bool> needed_steps(outline const& facts, view const& edits) {
        auto const latest = latest_summaries(edits);
        std::vector<bool> needed(edits.steps().size());
        for (std::size_t index = 0; index < needed.size(); ++index) {
            auto const& step = edits.steps()[index];
            group const target{step.target};
            if (step.on_part) needed[index] = !facts.message_at(facts.part_at(step.target).message_index).released;
            else if (step.kind != edit_kind::summarize && !target.is_summary())
                needed[index] = !facts.gone(target.id());
            else {
                auto const* const lost = find_part(latest, target.id());
                needed[index] = lost == nullptr || index + 1 >= lost->written;
            }
        }
        return needed;
    }
    /// One entry for each place, ascending.
    static std::vector<lost_summary> latest_summaries(view const& edits) {
        std::vector<lost_summary> all;
        for (auto const drop : edits.summary_drops())
            all.push_back({group{edits.steps()[drop].target}.id(), edits.steps()[drop].previous});
        sort(all, [](lost_summary const& a, lost_summary const& b) { return a.part_id < b.part_id; });
        std::size_t count = 0;
        for (std::size_t index = 0; index < all.size(); ++index)
            if (index + 1 == all.size() || all[index].part_id != all[index + 1].part_id) all[count++] = all[index];
        all.resize(count);
        return all;
    }
};
using released_forgetter = basic_released_forgetter<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
