// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/outline.hpp>

// Puts a list of steps of any origin in force, where it is one that drafts could have written.

namespace condense {
inline namespace v1 {
namespace detail {

template <class = void>
class basic_view_loader {
public:
    /// `to` has no edits yet and gets them all, or a part of them where this gives false. Figures of
    /// `after` are believed, those of `before` are computed. Costs the outline and the steps.
    static bool load(view& to, outline const& facts, std::vector<view::step>&& steps,
                     std::vector<view::replacement>&& texts) {
        to.parts_.resize(facts.part_count());
        to.groups_.resize(facts.group_count());
        to.steps_ = std::move(steps);
        to.texts_ = std::move(texts);
        if (to.steps_.size() >= none32) return false;
        basic_view_loader walk{to, facts};
        for (std::uint32_t at = 0; at < to.steps_.size(); ++at)
            if (!walk.take(at)) return false;
        if (walk.texts_ != to.texts_.size()) return false;
        to.count_groups(facts);
        to.count_sums();
        return true;
    }

    /// How many of the first steps an undo must leave, so that what was released stays out.
    static std::size_t fixed(view const& from, outline const& facts) noexcept {
        std::size_t most = 0;
        for (std::uint32_t index = 0; index < facts.size(); ++index)
            if (facts.message_at(index).released) {
                auto const step = from.groups_[facts.group_of(index)].dropped;
                most = step > most ? step : most;
            }
        return most;
    }

private:
    basic_view_loader(view& to, outline const& facts) noexcept : to_{&to}, facts_{&facts} {}

    bool take(std::uint32_t at) noexcept {
        auto& made = to_->steps_[at];
        bool const writes =
            made.kind == edit_kind::shorten || made.kind == edit_kind::externalize || made.kind == edit_kind::summarize;
        bool const has_text = made.text != none32;
        if (has_text && made.text != texts_++) return false;
        if (has_text != writes && made.kind != edit_kind::repair) return false;
        if (made.on_part)
            return made.target < to_->parts_.size() &&
                   (made.kind == edit_kind::repair ? take_answer(made, at) : take_part(made, at));
        return group{made.target}.id() < to_->groups_.size() && take_group(made, at);
    }

    /// An answer to a call, or a result that it gives way to.
    bool take_answer(view::step& made, std::uint32_t at) noexcept {
        auto& standing = to_->parts_[made.target].answer;
        bool const writes = made.text != none32;
        if (facts_->part_at(made.target).kind != part_kind::tool_call || made.previous != standing ||
            (standing == 0) != writes)
            return false;
        made.before = {};
        if (!writes) made.after = {};
        standing = writes ? at + 1 : 0;
        return true;
    }

    bool take_part(view::step& made, std::uint32_t at) noexcept {
        auto& standing = to_->parts_[made.target].edit;
        if (made.previous != standing || made.kind == edit_kind::drop || made.kind == edit_kind::summarize)
            return false;
        auto const original = facts_->part_at(made.target).cost;
        bool const restores = made.kind == edit_kind::restore;
        if (standing == 0 ? restores : !restores && to_->steps_[standing - 1].kind == edit_kind::remove) return false;
        made.before = standing == 0 ? original : to_->steps_[standing - 1].after;
        if (restores) made.after = original;
        else if (made.kind == edit_kind::remove) made.after = {};
        else if (made.after >= made.before) return false;
        standing = restores ? 0 : at + 1;
        to_->has_removed_ = to_->has_removed_ || made.kind == edit_kind::remove;
        return true;
    }

    bool take_group(view::step const& made, std::uint32_t at) noexcept {
        auto& state = to_->groups_[group{made.target}.id()];
        bool const of_summary = group{made.target}.is_summary();
        if (made.kind == edit_kind::summarize) {
            if (of_summary || state.summary != 0 || made.previous != 0) return false;
            state.summary = at + 1;
        } else if (made.kind == edit_kind::drop) {
            if (of_summary ? state.summary == 0 || made.previous != state.summary
                           : state.dropped != 0 || made.previous != 0)
                return false;
            if (of_summary) state.summary = 0;
            else state.dropped = at + 1;
        } else if (made.kind == edit_kind::restore) {
            if (made.previous == 0 || made.previous > at) return false;
            auto const& undone = to_->steps_[made.previous - 1];
            if (of_summary) {
                if (state.summary != 0 || undone.on_part || undone.kind != edit_kind::drop ||
                    undone.target != made.target)
                    return false;
                state.summary = undone.previous;
            } else if (made.previous != std::exchange(state.dropped, 0)) return false;
        } else return false;
        return true;
    }

    view* to_;
    outline const* facts_;
    std::uint32_t texts_ = 0;
};
using view_loader = basic_view_loader<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
