// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/draft.hpp>

// Redoes recorded edits of a saved state, which may be forged: each is counted anew, and the result must obey the laws
// of a draft.

namespace condense {
inline namespace v1 {
namespace detail {

/// A draft on a view without edits.
template <class Source, token_estimator Estimator>
class edit_restorer : public draft<Source, Estimator> {
    using core = draft<Source, Estimator>;
    using typename core::message_type;

public:
    using steps_type = std::vector<view::step>;
    using texts_type = std::vector<view::replacement>;
    using core::core;

    /// Names the kind of edit that no draft could make; empty if all edits are in the view.
    std::string_view restore(steps_type steps, texts_type texts) {
        for (auto const& each : texts)
            if (!utf8::valid(each.text)) return "a text";
        if (!count_parts(steps, texts)) return "an edit of a part";
        this->edits_->place_all(*this->outline_);
        this->edits_->reserve_edits(steps.size(), texts.size());
        for (auto const& step : steps) {
            auto text = step.text == none32 ? view::replacement{} : std::move(texts[step.text]);
            if (!this->edits_->redo(*this->outline_, step, std::move(text))) return "a step";
        }
        if (this->edits_->texts().size() != texts.size()) return "a step";
        if (!groups_are_lawful()) return "what is dropped";
        if (!parts_are_lawful()) return "what is left of a message";
        auto const mark = this->mark();
        this->settle_head();
        return this->mark() == mark ? std::string_view{} : "the beginning of the request";
    }

private:
    /// Counts the texts of all steps by the estimator in force. Reads each message once, however many steps are on its
    /// parts.
    bool count_parts(steps_type& steps, texts_type const& texts) const {
        if (steps.size() >= none32) return false;
        std::vector<std::uint32_t> first(this->outline_->part_count(), none32);
        std::vector<std::uint32_t> next(steps.size(), none32);
        for (auto at = steps.size(); at-- > 0;) {
            auto& step = steps[at];
            if (step.text != none32 && step.text >= texts.size()) return false;
            step.after = clamped(step.after);
            if (!step.on_part) {
                if (step.kind == edit_kind::summarize && step.text != none32)
                    step.after = frame_cost(*this->estimator_, role::user) +
                                 part_cost(*this->estimator_, part_view{.text = texts[step.text].text});
                continue;
            }
            if (step.target >= first.size()) return false;
            next[at] = first[step.target];
            first[step.target] = static_cast<std::uint32_t>(at);
        }
        for (std::uint32_t index = 0; index < this->outline_->size(); ++index) {
            auto const& record = this->outline_->message_at(index);
            bool edited = false;
            for (auto part_id = record.first_part; part_id < record.first_part + record.part_count; ++part_id)
                edited = edited || first[part_id] != none32;
            if (!edited || record.released) continue;
            bool good = true;
            this->read(index, [&](part_ref part, part_view const& seen) {
                for (auto at = first[part.part_id]; good && at != none32; at = next[at])
                    good = count(steps[at], texts, part, seen);
            });
            if (!good) return false;
        }
        return true;
    }

    bool count(view::step& step, texts_type const& texts, part_ref part, part_view const& original) const {
        auto const& record = this->outline_->part_at(part.part_id);
        if (step.kind == edit_kind::repair) {
            if (step.text == none32) return true;
            if constexpr (answerable<message_type>)
                return this->takes_answer(part.message_index, original, texts[step.text].text, step.after);
            else return false;
        }
        if (step.kind == edit_kind::remove && record.late) return core::can_remove;
        if (this->untouchable(part.message_index)) return false;
        if (step.kind == edit_kind::remove)
            return core::can_remove && (this->is_bare(part) || this->is_repeated(part, true));
        if (step.text == none32) return true;
        return shortenable<message_type> && !this->is_sealed(part) &&
               !this->weigh(part, original, texts[step.text].text, record.cost, step.after);
    }

    bool groups_are_lawful() const noexcept {
        auto const& facts = *this->outline_;
        for (std::uint32_t group_id = 0; group_id < facts.group_count(); ++group_id) {
            group const which{group_id};
            auto const& record = facts.group_at(group_id);
            if (record.count == 0) continue;
            if (record.unsendable ? this->present(which) : !this->present(which) && view::bound(facts, which))
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

    /// A message keeps a part, a plain user message a word; answers are to calls that wait for nothing.
    bool parts_are_lawful() const {
        for (std::uint32_t index = 0; index < this->outline_->size(); ++index) {
            auto const& record = this->outline_->message_at(index);
            std::uint32_t removed = 0;
            bool repeated = false;
            for (auto part_id = record.first_part; part_id < record.first_part + record.part_count; ++part_id) {
                auto const& part = this->outline_->part_at(part_id);
                if (this->edits_->answer_at(part_id) != 0 && !this->outline_->unanswerable(part)) return false;
                bool const gone = this->is_removed(this->part_at(part_id));
                if (part.late && !gone && this->present(sequence{index})) return false;
                removed += gone ? 1u : 0u;
                repeated = repeated || (gone && this->is_repeated(this->part_at(part_id), true));
            }
            if (removed == 0 || record.released) continue;
            if (removed == record.part_count && !repeated) return false;
            bool words = !record.plain_user;
            this->each_part(sequence{index}, [&](part_ref, part_view const& seen) {
                words = words || (seen.kind != part_kind::tool_result && seen.call.empty());
            });
            if (!words) return false;
        }
        return true;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
