// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/draft.hpp>
#include <condense/session/state.hpp>
#include <condense/session/view_loader.hpp>

// Edits of any origin for messages that are there: counted anew, and held to the laws that a draft keeps.

namespace condense {
inline namespace v1 {
namespace detail {

/// A draft on a view without edits.
template <class Source, token_estimator Estimator>
class edit_loader : public draft<Source, Estimator> {
    using core = draft<Source, Estimator>;
    using typename core::message_type;

public:
    using core::core;

    /// What of it could not have been made, or an empty text; then the view has the edits.
    std::string_view load(std::vector<view::step>&& steps, std::vector<view::replacement>&& texts) {
        for (auto const& each : texts)
            if (!utf8::valid(each.text)) return "a text";
        if (!count_parts(steps, texts)) return "an edit of a part";
        if (!view_loader::load(*this->edits_, *this->facts_, std::move(steps), std::move(texts))) return "a step";
        if (!groups_are_lawful()) return "what is dropped";
        if (!parts_are_lawful()) return "what is left of a message";
        auto const mark = this->mark();
        this->settle_head();
        return this->mark() == mark ? std::string_view{} : "the beginning of the request";
    }

private:
    using steps_type = std::vector<view::step>;
    using texts_type = std::vector<view::replacement>;

    /// Counts what each step has written, as the estimator in force has it. Reads each message once,
    /// however many steps are on its parts.
    bool count_parts(steps_type& steps, texts_type const& texts) const {
        std::vector<std::uint32_t> first(this->facts_->part_count(), none32);
        std::vector<std::uint32_t> next(steps.size(), none32);
        for (auto at = steps.size(); at-- > 0;) {
            auto& made = steps[at];
            if (made.text != none32 && made.text >= texts.size()) return false;
            made.after = clamped(made.after);
            if (!made.on_part) {
                if (made.kind == edit_kind::summarize && made.text != none32)
                    made.after = frame_cost(*this->count_, role::user) +
                                 part_cost(*this->count_, part_view{.text = texts[made.text].text});
                continue;
            }
            if (made.target >= first.size()) return false;
            next[at] = first[made.target];
            first[made.target] = static_cast<std::uint32_t>(at);
        }
        for (std::uint32_t index = 0; index < this->facts_->size(); ++index) {
            auto const& found = this->facts_->message_at(index);
            bool edited = false;
            for (auto part_id = found.first_part; part_id < found.first_part + found.part_count; ++part_id)
                edited = edited || first[part_id] != none32;
            if (!edited || found.released) continue;
            bool good = true;
            this->read(index, [&](part_ref part, part_view const& seen) {
                for (auto at = first[part.part_id]; good && at != none32; at = next[at])
                    good = count(steps[at], texts, part, seen);
            });
            if (!good) return false;
        }
        return true;
    }

    bool count(view::step& made, texts_type const& texts, part_ref part, part_view const& original) const {
        auto const& found = this->facts_->part_at(part.part_id);
        if (made.kind == edit_kind::repair) {
            if (made.text == none32) return true;
            if constexpr (answerable<message_type>)
                return this->takes_answer(part.message_index, original, texts[made.text].text, made.after);
            else return false;
        }
        auto const index = part.message_index;
        if (made.kind == edit_kind::remove && found.late) return core::can_remove;
        if (this->facts_->message_at(index).speaker == role::system || index == this->facts_->latest_user() ||
            index == this->facts_->task())
            return false;
        if (made.kind == edit_kind::remove) return core::can_remove && (this->is_bare(part) || is_second(part));
        if (made.kind != edit_kind::shorten && made.kind != edit_kind::externalize) return true;
        if (!shortenable<message_type> || made.text == none32) return false;
        auto const& text = texts[made.text].text;
        bool const media = found.kind == part_kind::media;
        if (found.sealed && !media) return false;
        if (found.kind == part_kind::tool_call && !(json::valid(original.text) && json::valid(text))) return false;
        auto seen = original;
        if (media) seen.kind = part_kind::text;
        seen.text = text;
        seen.cost.reset();
        made.after = part_cost(*this->count_, seen);
        return !media || this->takes_text(part, text, made.after);
    }

    /// One of several results of a call, whatever else has been removed.
    bool is_second(part_ref part) const noexcept {
        auto const& found = this->facts_->part_at(part.part_id);
        bool another = false;
        for (std::uint32_t part_id = 0;
             part_id < this->facts_->part_count() && found.call != none32 && found.kind != part_kind::tool_call;
             ++part_id) {
            auto const& other = this->facts_->part_at(part_id);
            another = another || (other.kind == part_kind::tool_result && other.call == found.call &&
                                  other.message_index != found.message_index);
        }
        return another;
    }

    bool groups_are_lawful() const noexcept {
        auto const& facts = *this->facts_;
        bool speaks = false;
        bool could_speak = false;
        for (std::uint32_t group_id = 0; group_id < facts.group_count(); ++group_id) {
            auto const& found = facts.group_at(group_id);
            bool const there = this->present(group{group_id});
            speaks = speaks || (there && !found.system) || this->present(group{group_id}.summary());
            if (found.count == 0) continue;
            could_speak = could_speak || (!found.system && !found.unsendable);
            if (found.unsendable && there) return false;
            if (!there && !found.unsendable && view::bound(facts, group{group_id})) return false;
        }
        for (std::uint32_t index = 0; index < facts.size(); ++index) {
            if (!facts.message_at(index).released) continue;
            auto const group_id = facts.group_of(index);
            if (facts.group_at(group_id).system || facts.group_at(group_id).pinned ||
                this->holds_latest_user(group{group_id}))
                return false;
        }
        return speaks || !could_speak;
    }

    /// A message keeps a part, a plain user message a word; answers are to calls that wait for nothing.
    bool parts_are_lawful() const {
        for (std::uint32_t index = 0; index < this->facts_->size(); ++index) {
            auto const& found = this->facts_->message_at(index);
            std::uint32_t removed = 0;
            for (auto part_id = found.first_part; part_id < found.first_part + found.part_count; ++part_id) {
                if (this->edits_->answer_at(part_id) != 0 &&
                    !this->facts_->unanswerable(this->facts_->part_at(part_id)))
                    return false;
                bool const gone = this->is_removed(this->part_at(part_id));
                if (this->facts_->part_at(part_id).late && !gone && this->present(sequence{index})) return false;
                removed += gone ? 1u : 0u;
            }
            if (removed == 0 || found.released) continue;
            if (removed == found.part_count && !is_second(this->part_at(found.first_part))) return false;
            bool words = !found.plain_user;
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
