// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <condense/core/edit_log.hpp>

// The edits of a view by message and part, so that they can be repeated on a view of messages that were read again: by
// a restored session, after a release, and after a program has changed its messages.

namespace condense {
inline namespace v1 {

/// One edit. A template, so that a program that only includes it instantiates nothing of it.
template <class = void>
struct basic_saved_edit {
    edit_kind kind = edit_kind::drop;
    std::uint64_t message =
        0;  ///< its number; of a group its first message, of a summary the one that it stands before
    std::uint32_t part = 0;  ///< of the message, counted from 1; 0 for its group, or for a summary
    bool of_summary = false;  ///< it drops or restores a summary
    bool writes = false;      ///< it has a text
    std::uint16_t author = 0;  ///< index of the layer's entry in the report, plus 1; 0 where no layer made it
    std::uint64_t undoes = 0;  ///< of a summary that is restored: the number of the edit that dropped it, from 1
    std::string text = {};
    reference stored = {};  ///< where the original is
    friend bool operator==(basic_saved_edit const&, basic_saved_edit const&) = default;
};
using saved_edit = basic_saved_edit<>;

namespace detail {

/// Edits of a view, in order, and how to repeat them. A template, as above.
template <class = void>
struct basic_saved_edits {
    /// One for each step.
    static std::vector<saved_edit> of(outline const& facts, view const& edits) {
        std::vector<saved_edit> all;
        all.reserve(edits.steps().size());
        for (auto const& step : edits.steps()) all.push_back(of(facts, edits, step));
        return all;
    }
    static saved_edit of(outline const& facts, view const& edits, view::step const& step) {
        auto result = without_text(facts, step);
        if (result.of_summary && step.kind == edit_kind::restore) result.undoes = step.previous;
        if (result.writes) {
            result.text = edits.text_at(step.text).text;
            result.stored = edits.text_at(step.text).stored;
        }
        return result;
    }
    /// Kind, target and author of a step, whose target must be there.
    static saved_edit without_text(outline const& facts, view::step const& step) {
        saved_edit result{.kind = step.kind, .writes = step.text != none32, .author = step.author};
        if (step.on_part) {
            result.message = facts.part_at(step.target).message_index;
            result.part = 1 + step.target - facts.message_at(as_size(result.message)).first_part;
        } else {
            result.message = group{step.target}.id();
            result.of_summary = group{step.target}.is_summary();
        }
        return result;
    }

    /// The part on which the edit is; none32 if it is on none, or on one that is not there.
    static std::uint32_t part_id(outline const& facts, saved_edit const& edit) noexcept {
        if (edit.part == 0 || !facts.has_record(edit.message)) return none32;
        auto const& message = facts.message_at(as_size(edit.message));
        return edit.part <= message.part_count ? message.first_part + edit.part - 1 : none32;
    }

    /// Repeats an edit, whose text costs `after`, as a step; `undone` is the number of the step that it undoes, for the
    /// restore of a summary. False, and nothing changes, where it does not follow from the steps before it.
    static bool redo(outline const& facts, view& edits, saved_edit edit, v1::cost after, std::uint64_t undone) {
        bool const may_write = edit.kind == edit_kind::shorten || edit.kind == edit_kind::externalize ||
                               edit.kind == edit_kind::summarize || edit.kind == edit_kind::repair;
        if (edit.kind != edit_kind::repair && edit.writes != may_write) return false;
        if (!facts.has_record(edit.message)) return false;
        if (edit.part != 0) return redo_on_part(facts, edits, std::move(edit), after);
        group const own{static_cast<std::uint32_t>(edit.message)};
        bool const of_summary = edit.of_summary || edit.kind == edit_kind::summarize;
        if (facts.gone(own.id()) && !of_summary) return false;
        auto const target = edit.of_summary ? own.summary() : own;
        edits.reserve_edits(1, 1);
        switch (edit.kind) {
            case edit_kind::summarize:
                if (edit.of_summary || edits.present(own.summary())) return false;
                edits.summarize(own.id(), std::move(edit.text), after);
                return true;
            case edit_kind::drop:
                if (edit.of_summary ? !edits.present(target) : edits.is_dropped(own.id())) return false;
                edits.drop(facts, target);
                return true;
            case edit_kind::restore:
                if (edit.of_summary ? !drops(edits, undone, target) || edits.present(target)
                                    : !edits.is_dropped(own.id()))
                    return false;
                edits.undrop(facts, target, undone == 0 ? 0 : as_size(undone - 1));
                return true;
            default: return false;
        }
    }

private:
    static bool redo_on_part(outline const& facts, view& edits, saved_edit edit, v1::cost after) {
        auto const target = part_id(facts, edit);
        if (target == none32 || edit.of_summary) return false;
        auto const& part = facts.part_at(target);
        auto const* const standing = edits.edit_of(target);
        switch (edit.kind) {
            case edit_kind::repair:
                if (part.kind != part_kind::tool_call || edit.writes == (edits.answer_at(target) != 0)) return false;
                edits.reserve_edits(1, 1);
                if (edit.writes) edits.answer(facts, target, std::move(edit.text), after);
                else edits.retract_answer(facts, target);
                return true;
            case edit_kind::restore:
                if (standing == nullptr) return false;
                after = part.cost;
                break;
            case edit_kind::remove:
            case edit_kind::shorten:
            case edit_kind::externalize:
                if (standing != nullptr && standing->kind == edit_kind::remove) return false;
                if (edit.kind == edit_kind::remove) after = {};
                else if (after >= edits.part_cost(facts, target)) return false;
                break;
            default: return false;
        }
        edits.edit_part(facts, edit.kind, target, after, {std::move(edit.text), edit.stored}, edit.author);
        return true;
    }
    static bool drops(view const& edits, std::uint64_t number, group summary) noexcept {
        if (number == 0 || number > edits.steps().size()) return false;
        auto const& step = edits.steps()[as_size(number - 1)];
        return !step.on_part && step.kind == edit_kind::drop && step.target == summary.index;
    }
};
using saved_edits = basic_saved_edits<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
