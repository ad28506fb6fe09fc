// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/outline.hpp>

// Edits taken over to messages that were read again, of which the first ones are as they were.

namespace condense {
inline namespace v1 {
namespace detail {

/// Makes those edits of `from` anew in `to` that are of groups wholly before message `first` and still
/// allowed there. A summary comes with all that it stands for or not at all; then an earlier one stands again.
template <class = void>
class basic_edit_rebaser {
public:
    basic_edit_rebaser(outline const& old, view const& from, outline const& facts, view& to,
                       std::uint32_t first) noexcept
        : old_{&old}, from_{&from}, facts_{&facts}, to_{&to}, first_{first} {}

    void all() {
        auto const& steps = from_->steps();
        auto const mark = to_->steps().size();
        made_.resize(steps.size());
        for (std::size_t at = 0; at < steps.size();) {
            auto end = at;
            while (end < steps.size() && is_drop(steps[end])) ++end;
            // Drops right before a summary are of what it stands for.
            if (end < steps.size() && steps[end].kind == edit_kind::summarize) {
                bool whole = early(steps[end].target);
                for (auto drop = at; drop < end; ++drop) whole = whole && may_drop(steps[drop]);
                ++end;
                if (!whole) at = end;
            } else if (end == at) ++end;
            for (; at < end; ++at) one(at);
        }
        if (!speaks()) to_->take_back(*facts_, mark);
    }

private:
    static bool is_drop(view::step const& made) noexcept { return !made.on_part && made.kind == edit_kind::drop; }

    /// Its messages were, and are, all before the first that has changed.
    bool early(std::uint32_t group_id) const noexcept {
        if (group_id >= first_) return false;
        auto const& was = old_->group_at(group_id);
        auto const& is = facts_->group_at(group_id);
        return was.count != 0 && was.last < first_ && is.count == was.count && is.last == was.last;
    }
    /// No layer may touch it now that what follows is other.
    bool bound(std::uint32_t group_id) const noexcept {
        return static_cast<bool>(view::bound(*facts_, group{group_id}));
    }
    /// For a summary: the one that stands there is the one that was dropped.
    bool may_drop(view::step const& made) const noexcept {
        group const which{made.target};
        if (!early(which.id())) return false;
        if (!which.is_summary()) return !bound(which.id());
        auto const written = made_[made.previous - 1];
        return written != 0 && to_->in_force(written - 1);
    }
    /// Something but system messages is left, where there is something.
    bool speaks() const noexcept {
        bool any = false;
        for (std::uint32_t group_id = 0; group_id < facts_->group_count(); ++group_id) {
            if (to_->present(group{group_id}.summary())) return true;
            auto const& found = facts_->group_at(group_id);
            if (found.count == 0 || found.system) continue;
            if (to_->present(group{group_id})) return true;
            any = true;
        }
        return !any;
    }

    void one(std::size_t at) {
        auto const& made = from_->steps()[at];
        auto const before = to_->steps().size();
        if (!made.on_part) on_group(made);
        else if (from_->in_force(at)) on_part(made);
        if (to_->steps().size() != before) made_[at] = to_->steps().size();
    }

    void on_part(view::step const& made) {
        auto const group_id = old_->group_of(old_->part_at(made.target).message_index);
        if (made.kind == edit_kind::restore || !early(group_id)) return;
        auto const text = made.text == none32 ? view::replacement{} : from_->text_at(made.text);
        if (made.kind == edit_kind::repair) {
            if (made.text != none32 && facts_->unanswerable(facts_->part_at(made.target)))
                to_->answer(*facts_, made.target, text.text, made.after);
        } else if (!bound(group_id) || old_->open(group_id))
            to_->edit_part(*facts_, made.kind, made.target, made.after, text, made.author);
    }

    void on_group(view::step const& made) {
        group const which{made.target};
        if (made.kind == edit_kind::summarize) {
            if (early(which.id()) && !to_->present(which.summary()))
                to_->summarize(which.id(), from_->text_at(made.text).text, made.after);
        } else if (made.kind == edit_kind::drop) {
            if (may_drop(made) && to_->present(which)) to_->drop(which);
        } else if (early(which.id()) && !to_->present(which)) {
            if (!which.is_summary()) to_->undrop(which);
            else if (auto const dropped = made_[made.previous - 1]) to_->undrop(which, dropped - 1);
        }
    }

    outline const* old_;
    view const* from_;
    outline const* facts_;
    view* to_;
    std::uint32_t first_;
    std::vector<std::size_t> made_ = {};  ///< for each step of `from` the one that it is now, plus one
};
using edit_rebaser = basic_edit_rebaser<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
