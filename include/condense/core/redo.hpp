// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>

#include <condense/core/edit_log.hpp>

// Repeats recorded steps on a view, as a saved state or another conversation had them.

namespace condense {
inline namespace v1 {
namespace detail {

/// A template, so that a program that only includes it instantiates nothing.
template <class = void>
class basic_edit_redoer {
public:
    /// Repeats a step of a saved state. False, and nothing changes, where the step does not follow from the present
    /// one: `previous` must be the step in force on its target, and `text` the next free index. The cost `after` of a
    /// text is taken from the record; the caller checks it where it can.
    static constexpr bool redo(outline const& facts, view& edits, view::step const& recorded, view::replacement text) {
        bool const writes = recorded.kind == edit_kind::shorten || recorded.kind == edit_kind::externalize ||
                            recorded.kind == edit_kind::summarize;
        bool const has_text = recorded.text != none32;
        if ((has_text && recorded.text != edits.texts_.size()) ||
            (recorded.kind != edit_kind::repair && has_text != writes))
            return false;
        if (recorded.on_part)
            return recorded.target < edits.parts_.size() && redo_on_part(facts, edits, recorded, std::move(text));
        return group{recorded.target}.id() < edits.groups_.size() &&
               redo_on_group(facts, edits, recorded, std::move(text.text));
    }

private:
    static constexpr bool redo_on_part(outline const& facts, view& edits, view::step const& recorded,
                                       view::replacement text) {
        auto const part_id = recorded.target;
        auto const& part = facts.part_at(part_id);
        auto const standing = edits.parts_[part_id];
        if (recorded.kind == edit_kind::repair) {
            bool const writes = recorded.text != none32;
            if (part.kind != part_kind::tool_call || recorded.previous != standing.answer ||
                writes != (standing.answer == 0))
                return false;
            if (writes) edits.answer(facts, part_id, std::move(text.text), recorded.after);
            else edits.retract_answer(facts, part_id);
            return true;
        }
        bool const undoes = recorded.kind == edit_kind::restore;
        bool const removes = recorded.kind == edit_kind::remove;
        if (recorded.kind == edit_kind::drop || recorded.kind == edit_kind::summarize ||
            recorded.previous != standing.edit)
            return false;
        if (standing.edit == 0 ? undoes : !undoes && edits.steps_[standing.edit - 1].kind == edit_kind::remove)
            return false;
        if (!undoes && !removes && recorded.after >= edits.part_cost(facts, part_id)) return false;
        edits.edit_part(facts, recorded.kind, part_id,
                        undoes    ? part.cost
                        : removes ? v1::cost{}
                                  : recorded.after,
                        std::move(text), recorded.author);
        return true;
    }

    static constexpr bool redo_on_group(outline const& facts, view& edits, view::step const& recorded,
                                        std::string text) {
        group const which{recorded.target};
        auto const& state = edits.groups_[which.id()];
        if (recorded.kind == edit_kind::summarize) {
            if (which.is_summary() || state.summary != 0 || recorded.previous != 0) return false;
            edits.summarize(which.id(), std::move(text), recorded.after);
        } else if (recorded.kind == edit_kind::drop) {
            if (which.is_summary() ? state.summary == 0 || recorded.previous != state.summary
                                   : state.dropped != 0 || recorded.previous != 0)
                return false;
            edits.reserve_edits(1, 0);
            edits.drop(facts, which);
        } else if (recorded.kind == edit_kind::restore) {
            if (recorded.previous == 0 || recorded.previous > edits.steps_.size()) return false;
            auto const& undone = edits.steps_[recorded.previous - 1];
            bool const was_dropped = which.is_summary()
                                         ? state.summary == 0 && !undone.on_part && undone.kind == edit_kind::drop &&
                                               undone.target == recorded.target
                                         : recorded.previous == state.dropped;
            if (!was_dropped) return false;
            edits.undrop(facts, which, recorded.previous - 1);
        } else return false;
        return true;
    }
};
using edit_redoer = basic_edit_redoer<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
