// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/draft.hpp>
#include <condense/core/saved_edits.hpp>

// Redoes the edits of a saved state, which may be forged: each is counted anew, and the result must obey the laws of a
// draft.

namespace condense {
inline namespace v1 {
namespace detail {

/// A draft on a view without edits, which redoes recorded ones. It checks results, not the way to them: a state that
/// any sequence of runs could have left is accepted. Everything in a step is untrusted, and checked before it is an
/// index.
template <class Source, token_estimator Estimator>
class edit_restorer : public draft<Source, Estimator> {
    using core = draft<Source, Estimator>;
    using typename core::message_type;

public:
    using core::core;

    /// Puts all edits into the view and returns an empty text, or names the kind of edit that no draft could make; then
    /// the view is to be discarded. O(messages + edits), and reading each message with an edited part.
    std::string_view restore(std::vector<saved_edit> saved) {
        for (auto const& edit : saved)
            if (!utf8::valid(edit.text)) return "a text";
        std::vector<v1::cost> costs(saved.size());
        if (!count_texts(saved, costs)) return "an edit of a part";
        this->edits_->place_all(*this->outline_);
        this->edits_->reserve_edits(saved.size(), saved.size());
        bool has_summary = false;
        for (std::size_t index = 0; index < saved.size(); ++index) {
            auto& edit = saved[index];
            // At each step, as an undo may go back to it.
            bool const sends =
                edit.kind == edit_kind::summarize || (edit.kind == edit_kind::restore && edit.of_summary);
            if (sends && has_summary) return "the number of summaries";
            has_summary = sends || (has_summary && !edit.of_summary);
            auto const undone = edit.undoes;
            if (!saved_edits::redo(*this->outline_, *this->edits_, std::move(edit), costs[index], undone))
                return "a step";
        }
        if (!groups_are_lawful()) return "what is dropped";
        if (!parts_are_lawful()) return "what is left of a message";
        // A draft ends by settling the beginning of the request: where that still changes something, no draft ended
        // here.
        auto const mark = this->mark();
        this->settle_head();
        return this->mark() == mark ? std::string_view{} : "the beginning of the request";
    }

private:
    /// Counts the texts of all edits with the current estimator, which need not be the one that counted before. Reads
    /// each message once, however many edits are on its parts: `first` and `next` are lists of the edits on each part.
    bool count_texts(std::vector<saved_edit> const& saved, std::vector<v1::cost>& costs) const {
        if (saved.size() >= none32) return false;
        std::vector<std::uint32_t> first(this->outline_->part_count(), none32);
        std::vector<std::uint32_t> next(saved.size(), none32);
        for (auto index = saved.size(); index-- > 0;) {
            auto const& edit = saved[index];
            if (edit.part == 0) {
                if (edit.writes)
                    costs[index] = frame_cost(*this->estimator_, role::user) +
                                   part_cost(*this->estimator_, part_view{.text = edit.text});
                continue;
            }
            auto const part_id = saved_edits::part_id(*this->outline_, edit);
            if (part_id == none32) return false;
            next[index] = first[part_id];
            first[part_id] = static_cast<std::uint32_t>(index);
        }
        bool lawful = true;
        this->outline_->each_record([&](std::uint32_t index) {
            bool edited = false;
            for (auto const part_id : this->outline_->message_at(index).parts())
                edited = edited || first[part_id] != none32;
            if (!edited || !lawful) return;
            this->read(index, [&](part_ref part, part_view const& original) {
                for (auto edit = first[part.part_id]; lawful && edit != none32; edit = next[edit])
                    lawful = count(saved[edit], costs[edit], part, original);
            });
        });
        return lawful;
    }

    /// Sets the cost of one edit of a part; false if a draft would refuse it.
    bool count(saved_edit const& edit, v1::cost& after, part_ref part, part_view const& original) const {
        auto const& record = this->outline_->part_at(part.part_id);
        if (edit.kind == edit_kind::repair) {
            if (!edit.writes) return true;  // takes an earlier answer back
            if constexpr (answerable<message_type>) return this->takes_answer(part, original, edit.text, after);
            else return false;
        }
        if (edit.kind == edit_kind::remove && (record.late || record.bound)) return core::can_remove;
        auto const refused = this->untouchable(part.message_index);
        if (refused && refused != refusal::task) return false;  // it may be the task only since
        if (edit.kind == edit_kind::remove)
            return core::can_remove && (this->is_bare(part) || this->is_repeated(part, true));
        if (!edit.writes) return true;
        return shortenable<message_type> && !this->is_sealed(part) &&
               !this->weigh(part, original, edit.text, record.cost, after);
    }

    /// True if no group is dropped that layers must leave, and none is present that cannot be sent.
    bool groups_are_lawful() const {
        auto const& facts = *this->outline_;
        bool lawful = true;
        facts.each_record([&](std::uint32_t group_id) {
            group const which{group_id};
            auto const& record = facts.group_at(group_id);
            if (record.count == 0) return;  // joined into another group, or released
            if (record.unsendable ? this->present(which)
                                  : this->edits_->is_dropped(group_id) && view::bound(facts, which))
                lawful = false;
        });
        return lawful && this->edits_->has_conversation(facts);
    }

    /// True if every message has a part left and every plain user message some words, and if written answers are to
    /// calls that can get no result.
    bool parts_are_lawful() const {
        bool lawful = true;
        this->outline_->each_record([&](std::uint32_t index) { lawful = lawful && is_lawful(index); });
        return lawful;
    }
    bool is_lawful(std::uint32_t index) const {
        auto const& record = this->outline_->message_at(index);
        std::uint32_t removed_count = 0;
        bool may_be_empty = false;
        for (auto const part_id : record.parts()) {
            auto const& part = this->outline_->part_at(part_id);
            if (this->edits_->answer_at(part_id) != 0 && !this->outline_->unanswerable(part)) return false;
            bool const is_removed = this->is_removed(this->part_at(part_id));
            if (part.late && !is_removed && this->present(sequence{index})) return false;
            removed_count += is_removed ? 1u : 0u;
            may_be_empty =
                may_be_empty || (is_removed && (part.bound || this->is_repeated(this->part_at(part_id), true)));
        }
        if (removed_count == 0) return true;
        if (removed_count == record.part_count && !may_be_empty) return false;
        bool has_words = !record.plain_user;
        this->each_part(sequence{index}, [&](part_ref, part_view const& present) {
            has_words = has_words || (present.kind != part_kind::tool_result && present.call.empty());
        });
        return has_words;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
