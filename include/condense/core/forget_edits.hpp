// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/detail/sort.hpp>

// Takes the steps out of a view that nothing can need any more, so that it grows with what is sent, not with what was.

namespace condense {
inline namespace v1 {
namespace detail {

/// Forgets steps of a view before `end`, to which no undo goes back: those on groups of which a message was released,
/// which stay dropped, and those of summaries whose place another one has taken since, so that it alone can be brought
/// back. A template, so that a program that only includes it instantiates nothing.
template <class = void>
class basic_edit_forgetter {
public:
    /// Returns how many steps were forgotten: those from `end` on have so much smaller numbers. Changes nothing if it
    /// fails. O(steps).
    static std::size_t forget(outline const& facts, view& edits, std::size_t end) {
        auto const latest = latest_summaries(edits, end);
        auto const& steps = edits.steps_;
        std::vector<std::uint32_t> numbers(steps.size() + 1);  // by number, the new one; 0 for a forgotten step
        std::vector<view::step> rest;
        std::vector<view::replacement> texts;
        for (std::size_t index = 0; index < steps.size(); ++index) {
            if (index < end && needless(facts, latest, steps[index], index + 1)) continue;
            rest.push_back(steps[index]);
            numbers[index + 1] = static_cast<std::uint32_t>(rest.size());
        }
        auto const count = steps.size() - rest.size();
        if (count == 0) return 0;
        texts.reserve(edits.texts_.size());

        // From here on nothing fails. A new number is no larger than the old one, so none is taken for one to come.
        for (std::size_t index = 0; index < steps.size(); ++index) renumber(edits, steps[index], index + 1, numbers);
        for (auto& step : rest) {
            step.previous = numbers[step.previous];
            if (step.text == none32) continue;
            texts.push_back(std::move(edits.texts_[step.text]));
            step.text = static_cast<std::uint32_t>(texts.size() - 1);
        }
        std::size_t drops = 0;
        for (auto const drop : edits.summary_drops_)
            if (numbers[drop + 1] != 0) edits.summary_drops_[drops++] = numbers[drop + 1] - 1;
        edits.summary_drops_.resize(drops);
        edits.steps_.swap(rest);
        edits.texts_.swap(texts);
        return count;
    }

private:
    /// The step that wrote the summary which was dropped last in a place.
    struct lost_summary {
        std::uint32_t part_id = 0;  ///< the group before which it stood
        std::uint32_t written = 0;  ///< plus one
    };

    /// One entry for each place, ascending.
    static std::vector<lost_summary> latest_summaries(view const& edits, std::size_t end) {
        std::vector<lost_summary> all;
        for (auto const drop : edits.summary_drops_)
            if (drop < end) all.push_back({group{edits.steps_[drop].target}.id(), edits.steps_[drop].previous});
        detail::sort(all, [](lost_summary const& a, lost_summary const& b) { return a.part_id < b.part_id; });
        std::size_t count = 0;
        for (std::size_t index = 0; index < all.size(); ++index)
            if (index + 1 == all.size() || all[index].part_id != all[index + 1].part_id) all[count++] = all[index];
        all.resize(count);
        return all;
    }
    static bool needless(outline const& facts, std::vector<lost_summary> const& latest, view::step const& step,
                         std::size_t number) noexcept {
        if (step.on_part) return facts.gone(facts.group_of(facts.part_at(step.target).message_index));
        group const target{step.target};
        if (step.kind != edit_kind::summarize && !target.is_summary()) return facts.gone(target.id());
        auto const* const lost = find_part(latest, target.id());
        return lost != nullptr && number < lost->written;
    }
    /// Has the target of a step know its new number, if the step is in force.
    static void renumber(view& edits, view::step const& step, std::size_t number,
                         std::vector<std::uint32_t> const& numbers) noexcept {
        auto const replace = [&](std::uint32_t& in_force, std::uint32_t without) {
            if (in_force == number) in_force = numbers[number] != 0 ? numbers[number] : without;
        };
        if (step.on_part) {
            auto& part = edits.parts_[step.target];
            return replace(step.kind == edit_kind::repair ? part.answer : part.edit, 0);
        }
        auto& state = edits.groups_[group{step.target}.id()];
        if (step.kind == edit_kind::summarize) replace(state.summary, 0);
        else replace(state.dropped, view::forgotten);
    }
};
using edit_forgetter = basic_edit_forgetter<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
