// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/outline.hpp>

// Redoes edits on messages that were read again, of which only the first ones are unchanged.

namespace condense {
inline namespace v1 {
namespace detail {

/// Redoes in `to` the edits of `from` whose groups end before message `first`, where they are still allowed. A summary
/// is redone with all drops that belong to it or not at all; then an earlier one stands again.
template <class = void>
class basic_edit_rebaser {
public:
    basic_edit_rebaser(outline const& old, view const& from, outline const& facts, view& to,
                       std::uint32_t first) noexcept
        : old_{&old}, from_{&from}, facts_{&facts}, to_{&to}, first_{first} {}

    void all() {
        auto const& steps = from_->steps();
        auto const mark = to_->steps().size();
        now_.resize(steps.size());
        for (std::size_t at = 0; at < steps.size();) {
            auto end = at;
            while (end < steps.size() && is_drop(steps[end])) ++end;
            // Drops right before a summary are of the groups that it replaces.
            if (end < steps.size() && steps[end].kind == edit_kind::summarize) {
                bool whole = early(steps[end].target);
                for (auto drop = at; drop < end; ++drop) whole = whole && may_drop(steps[drop]);
                ++end;
                if (!whole) at = end;
            } else if (end == at) ++end;
            for (; at < end; ++at)
                if (may_stand(at) && redo(steps[at])) now_[at] = static_cast<std::uint32_t>(to_->steps().size());
        }
        if (!to_->has_conversation(*facts_)) to_->take_back(*facts_, mark);
    }

private:
    static bool is_drop(view::step const& step) noexcept { return !step.on_part && step.kind == edit_kind::drop; }

    /// All messages of the group were, and are, before the first that has changed.
    bool early(std::uint32_t group_id) const noexcept {
        if (group_id >= first_) return false;
        auto const& was = old_->group_at(group_id);
        auto const& is = facts_->group_at(group_id);
        return was.count != 0 && was.last < first_ && is.count == was.count && is.last == was.last;
    }
    /// No layer may drop it, now that other messages follow.
    bool bound(std::uint32_t group_id) const noexcept {
        return static_cast<bool>(view::bound(*facts_, group{group_id}));
    }
    /// For a summary: the one that stands there is the one that the step dropped.
    bool may_drop(view::step const& step) const noexcept {
        group const which{step.target};
        if (!early(which.id())) return false;
        if (!which.is_summary()) return !bound(which.id());
        auto const written = now_[step.previous - 1];
        return written != 0 && to_->in_force(written - 1);
    }
    bool may_stand(std::size_t at) const noexcept {
        auto const& step = from_->steps()[at];
        if (!step.on_part) return is_drop(step) ? may_drop(step) : early(group{step.target}.id());
        auto const group_id = old_->group_of(old_->part_at(step.target).message_index);
        if (!from_->in_force(at) || step.kind == edit_kind::restore || !early(group_id)) return false;
        if (step.kind == edit_kind::repair) return facts_->unanswerable(facts_->part_at(step.target));
        return !bound(group_id) || old_->open(group_id);
    }

    /// Replaces the step that is in force there now.
    bool redo(view::step step) {
        auto text = step.text == none32 ? view::replacement{} : from_->text_at(step.text);
        if (step.text != none32) step.text = static_cast<std::uint32_t>(to_->texts().size());
        if (step.kind == edit_kind::repair) step.previous = to_->answer_at(step.target);
        else if (step.on_part) step.previous = to_->edit_at(step.target);
        else if (group{step.target}.is_summary()) step.previous = now_[step.previous - 1];
        else if (step.kind == edit_kind::restore) step.previous = to_->dropped_at(step.target);
        return to_->redo(*facts_, step, std::move(text));
    }

    outline const* old_;
    view const* from_;
    outline const* facts_;
    view* to_;
    std::uint32_t first_;
    std::vector<std::uint32_t> now_ = {};  ///< for each step of `from` its number in `to`, plus one
};
using edit_rebaser = basic_edit_rebaser<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
