// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <condense/core/outline.hpp>
#include <condense/core/view.hpp>

// Edits taken over to messages that were read again, of which the first ones are as they were.

namespace condense {
inline namespace v1 {
namespace detail {

/// Makes those edits of `from` that are in force on groups wholly before message `first` anew in `to`. A
/// summary comes with all that it stands for or not at all.
class carrier {
public:
    carrier(outline const& old, view const& from, outline const& facts, view& to, std::uint32_t first) noexcept
        : old_{&old}, from_{&from}, facts_{&facts}, to_{&to}, first_{first} {}

    void all() {
        auto const& steps = from_->steps();
        for (std::size_t at = 0; at < steps.size();) {
            auto end = at;
            while (end < steps.size() && is_drop(steps[end])) ++end;
            // Drops right before a summary are of what it stands for.
            if (end < steps.size() && steps[end].kind == edit_kind::summarize && from_->in_force(end)) {
                bool whole = early(steps[end].target);
                for (auto drop = at; drop < end; ++drop) whole = whole && (!from_->in_force(drop) || droppable(group{steps[drop].target}.slot()));
                ++end;
                if (whole)
                    for (; at < end; ++at) one(at);
                at = end;
                continue;
            }
            if (end == at) ++end;
            for (; at < end; ++at) one(at);
        }
    }

private:
    static bool is_drop(view::step const& made) noexcept { return !made.on_part && made.kind == edit_kind::drop; }

    /// Its messages were, and are, all before the first that has changed.
    bool early(std::uint32_t slot) const noexcept {
        if (slot >= first_) return false;
        auto const& was = old_->group_at(slot);
        auto const& is = facts_->group_at(slot);
        return was.count != 0 && was.last < first_ && is.count == was.count && is.last == was.last;
    }
    /// It may be gone: it is not what the user has said last, or is open, now that what came after it is another.
    bool droppable(std::uint32_t slot) const noexcept {
        auto const& is = facts_->group_at(slot);
        auto const latest = facts_->latest_user();
        return early(slot) && !is.system && !is.pinned && !facts_->open(slot) && (latest == none32 || facts_->group_of(latest) != slot);
    }

    void one(std::size_t at) {
        auto const& made = from_->steps()[at];
        if (!from_->in_force(at)) return;
        if (made.on_part) {
            auto const index = old_->part_at(made.target).message_index;
            if (made.kind == edit_kind::restore || index == facts_->latest_user() || !early(old_->group_of(index))) return;
            auto const text = made.text == none32 ? view::replacement{} : from_->text_at(made.text);
            if (made.kind != edit_kind::repair) to_->edit_part(*facts_, made.kind, made.target, made.after, text);
            else if (made.text != none32) to_->answer(*facts_, made.target, text.text, made.after);
            return;
        }
        group const which{made.target};
        if (!early(which.slot())) return;
        if (made.kind == edit_kind::summarize) to_->summarize(which.slot(), from_->text_at(made.text).text, made.after);
        else if (made.kind == edit_kind::drop && !which.is_summary() && droppable(which.slot()) && to_->present(*facts_, which)) to_->drop(*facts_, which);
    }

    outline const* old_;
    view const* from_;
    outline const* facts_;
    view* to_;
    std::uint32_t first_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
