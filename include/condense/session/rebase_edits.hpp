// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <condense/core/cache_prefix.hpp>
#include <condense/core/outline.hpp>
#include <condense/core/saved_edits.hpp>

// Redoes edits on messages that were read again, of which only those before some index are unchanged.

namespace condense {
inline namespace v1 {
namespace detail {

/// Redoes in `edits` those of `old_edits` whose groups end before message `first_changed`, if they are still allowed. A
/// summary is redone together with all drops that belong to it, or not at all; then an earlier one is in force again,
/// beside which no other is redone or comes back. Refers to its arguments. O(steps), plus what the edits cost. A
/// template, so that a program that only includes it instantiates nothing.
template <class = void>
class basic_edit_rebaser {
public:
    basic_edit_rebaser(outline const& old_facts, view const& old_edits, outline const& facts, view& edits,
                       std::uint32_t first_changed) noexcept
        : old_facts_{&old_facts}, old_edits_{&old_edits}, facts_{&facts}, edits_{&edits},
          first_changed_{first_changed} {}

    /// Returns the first message at which an edit was in force that is not redone; none32 where there is none. Takes
    /// all edits back if no message would be left that a model can answer. Strong only if the caller discards `edits`
    /// after an exception.
    std::uint32_t all() {
        auto const& steps = old_edits_->steps();
        auto const mark = edits_->steps().size();
        new_steps_.resize(steps.size());
        for (std::size_t index = 0; index < steps.size();) {
            auto end = index;
            while (end < steps.size() && is_drop(steps[end])) ++end;
            // Drops right before a summary are of the groups that it replaces.
            if (end < steps.size() && steps[end].kind == edit_kind::summarize) {
                bool complete = unchanged(steps[end].target);
                summary_check check{*facts_, *edits_};
                for (auto drop = index; drop < end; ++drop) {
                    complete = complete && may_drop(steps[drop]);
                    if (complete) check.replace(group{steps[drop].target});
                }
                complete = complete && !check.leaves_another();
                ++end;
                if (!complete) index = end;
            } else if (end == index) ++end;
            for (; index < end; ++index)
                if (may_redo(index) && redo(steps[index]))
                    new_steps_[index] = static_cast<std::uint32_t>(edits_->steps().size());
        }
        if (!edits_->has_conversation(*facts_)) {
            edits_->take_back(*facts_, mark);
            new_steps_.assign(steps.size(), 0);
        }
        auto lost = none32;
        for (std::size_t index = 0; index < steps.size(); ++index)
            if (new_steps_[index] == 0 && old_edits_->in_force(index)) {
                auto const at = message_of(*old_facts_, steps[index]);
                lost = at < lost ? at : lost;
            }
        return lost;
    }

private:
    static bool is_drop(view::step const& step) noexcept { return !step.on_part && step.kind == edit_kind::drop; }

    /// True if all messages of the group were before the first that changed, and are now.
    bool unchanged(std::uint32_t group_id) const noexcept {
        if (group_id >= first_changed_) return false;
        auto const& old = old_facts_->group_at(group_id);
        auto const& current = facts_->group_at(group_id);
        return old.count != 0 && old.last < first_changed_ && current.count == old.count && current.last == old.last;
    }
    /// True if no layer may drop the group, which depends on the messages that follow it now.
    bool bound(std::uint32_t group_id) const noexcept {
        return static_cast<bool>(view::bound(*facts_, group{group_id}));
    }
    /// For the drop of a summary: the summary in force is the same one that the step dropped.
    bool may_drop(view::step const& step) const noexcept {
        group const which{step.target};
        if (!unchanged(which.id())) return false;
        if (!which.is_summary()) return !bound(which.id());
        auto const new_step = new_steps_[step.previous - 1];
        return new_step != 0 && edits_->in_force(new_step - 1);
    }
    /// True if the step at `index` of the old edits is still allowed. A part keeps its edit while its group is bound
    /// only if layers could edit that group before, as they can an open one. The latest user message stays whole.
    bool may_redo(std::size_t index) const noexcept {
        auto const& step = old_edits_->steps()[index];
        if (!step.on_part) {
            group const which{step.target};
            if (is_drop(step)) return may_drop(step);
            bool const returns = step.kind == edit_kind::restore && view::sums_up(*old_facts_, which);
            return unchanged(which.id()) && !(returns && edits_->has_summary(*facts_));
        }
        auto const message = old_facts_->part_at(step.target).message_index;
        if (step.kind == edit_kind::remove && old_facts_->part_at(step.target).bound)
            return message < first_changed_ && old_edits_->in_force(index);
        auto const group_id = old_facts_->group_of(message);
        if (message == facts_->latest_user()) return false;
        if (!old_edits_->in_force(index) || step.kind == edit_kind::restore || !unchanged(group_id)) return false;
        if (step.kind == edit_kind::repair) return facts_->unanswerable(facts_->part_at(step.target));
        return !bound(group_id) || old_facts_->open(group_id);
    }

    /// Redoes the step in place of the one that is in force on its target now.
    bool redo(view::step const& step) {
        auto edit = saved_edits::of(*old_facts_, *old_edits_, step);
        auto const undone = edit.undoes == 0 ? 0 : new_steps_[as_size(edit.undoes - 1)];
        return saved_edits::redo(*facts_, *edits_, std::move(edit), step.after, undone);
    }

    outline const* old_facts_;
    view const* old_edits_;
    outline const* facts_;
    view* edits_;
    std::uint32_t first_changed_;
    std::vector<std::uint32_t> new_steps_ = {};  ///< by old step: number of the new one plus one; 0 if not redone
};
using edit_rebaser = basic_edit_rebaser<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
