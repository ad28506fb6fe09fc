// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/draft.hpp>
#include <condense/core/redo.hpp>

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
    using steps_type = std::vector<view::step>;
    using texts_type = std::vector<view::replacement>;
    using core::core;

    /// Puts all edits into the view and returns an empty text, or names the kind of edit that no draft could make; then
    /// the view is to be discarded. O(messages + steps), and reading each message with an edited part.
    std::string_view restore(steps_type steps, texts_type texts) {
        for (auto const& replacement : texts)
            if (!utf8::valid(replacement.text)) return "a text";
        if (!count_parts(steps, texts)) return "an edit of a part";
        this->edits_->place_all(*this->outline_);
        this->edits_->reserve_edits(steps.size(), texts.size());
        for (auto const& step : steps) {
            // At each step, as an undo may go back to it.
            if (sends_summary(step) && this->edits_->written_summary()) return "the number of summaries";
            auto text = step.text == none32 ? view::replacement{} : std::move(texts[step.text]);
            if (!edit_redoer::redo(*this->outline_, *this->edits_, step, std::move(text))) return "a step";
        }
        if (this->edits_->texts().size() != texts.size()) return "a step";  // a text that no step refers to
        if (!groups_are_lawful()) return "what is dropped";
        if (!parts_are_lawful()) return "what is left of a message";
        // A draft ends by settling the beginning of the request: where that still changes something, no draft ended
        // here.
        auto const mark = this->mark();
        this->settle_head();
        return this->mark() == mark ? std::string_view{} : "the beginning of the request";
    }

private:
    /// Counts the texts of all steps with the current estimator, which need not be the one that counted before. Reads
    /// each message once, however many steps are on its parts: `first` and `next` are lists of the steps on each part.
    bool count_parts(steps_type& steps, texts_type const& texts) const {
        if (steps.size() >= none32) return false;
        std::vector<std::uint32_t> first(this->outline_->part_count(), none32);
        std::vector<std::uint32_t> next(steps.size(), none32);
        for (auto step_index = steps.size(); step_index-- > 0;) {
            auto& step = steps[step_index];
            if (step.text != none32 && step.text >= texts.size()) return false;
            step.after = clamped(step.after);  // sums of any steps stay within 64 bits
            if (!step.on_part) {
                if (step.kind == edit_kind::summarize && step.text != none32)
                    step.after = frame_cost(*this->estimator_, role::user) +
                                 part_cost(*this->estimator_, part_view{.text = texts[step.text].text});
                continue;
            }
            if (step.target >= first.size()) return false;
            next[step_index] = first[step.target];
            first[step.target] = static_cast<std::uint32_t>(step_index);
        }
        for (std::uint32_t index = 0; index < this->outline_->size(); ++index) {
            auto const& record = this->outline_->message_at(index);
            bool edited = false;
            for (auto const part_id : record.parts()) edited = edited || first[part_id] != none32;
            if (!edited || record.released) continue;
            bool lawful = true;
            this->read(index, [&](part_ref part, part_view const& original) {
                for (auto step_index = first[part.part_id]; lawful && step_index != none32;
                     step_index = next[step_index])
                    lawful = count(steps[step_index], texts, part, original);
            });
            if (!lawful) return false;
        }
        return true;
    }

    /// Sets the cost of one step on a part; false if a draft would refuse it.
    bool count(view::step& step, texts_type const& texts, part_ref part, part_view const& original) const {
        auto const& record = this->outline_->part_at(part.part_id);
        if (step.kind == edit_kind::repair) {
            if (step.text == none32) return true;  // takes an earlier answer back
            if constexpr (answerable<message_type>)
                return this->takes_answer(part, original, texts[step.text].text, step.after);
            else return false;
        }
        if (step.kind == edit_kind::remove && (record.late || record.bound)) return core::can_remove;
        auto const refused = this->untouchable(part.message_index);
        if (refused && refused != refusal::task) return false;  // it may be the task only since
        if (step.kind == edit_kind::remove)
            return core::can_remove && (this->is_bare(part) || this->is_repeated(part, true));
        if (step.text == none32) return true;
        return shortenable<message_type> && !this->is_sealed(part) &&
               !this->weigh(part, original, texts[step.text].text, record.cost, step.after);
    }

    /// True if no group is dropped that layers must leave, none is present that cannot be sent, and none of the
    /// released messages is one that a session would not release.
    bool groups_are_lawful() const noexcept {
        auto const& facts = *this->outline_;
        for (std::uint32_t group_id = 0; group_id < facts.group_count(); ++group_id) {
            group const which{group_id};
            auto const& record = facts.group_at(group_id);
            if (record.count == 0) continue;  // joined into another group
            if (record.unsendable ? this->present(which)
                                  : this->edits_->is_dropped(group_id) && view::bound(facts, which))
                return false;
        }
        for (std::uint32_t index = 0; index < facts.size(); ++index) {
            if (!facts.message_at(index).released) continue;
            group const which{facts.group_of(index)};
            if (facts.group_at(which.id()).system || facts.group_at(which.id()).pinned ||
                this->holds_latest_user(which))
                return false;
        }
        return this->edits_->has_conversation(facts);
    }

    /// True if the step puts a summary into the request, written or restored.
    static bool sends_summary(view::step const& step) noexcept {
        if (step.on_part) return false;
        return step.kind == edit_kind::summarize ||
               (step.kind == edit_kind::restore && group{step.target}.is_summary());
    }

    /// True if every message has a part left and every plain user message some words, and if written answers are to
    /// calls that can get no result.
    bool parts_are_lawful() const {
        for (std::uint32_t index = 0; index < this->outline_->size(); ++index) {
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
            if (removed_count == 0 || record.released) continue;
            if (removed_count == record.part_count && !may_be_empty) return false;
            bool has_words = !record.plain_user;
            this->each_part(sequence{index}, [&](part_ref, part_view const& present) {
                has_words = has_words || (present.kind != part_kind::tool_result && present.call.empty());
            });
            if (!has_words) return false;
        }
        return true;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
