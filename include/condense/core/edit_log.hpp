// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <condense/core/edit.hpp>
#include <condense/core/outline.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/place_set.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/detail/sparse_vector.hpp>

// The edits in force on a conversation, as a list of steps that can be rolled back.

namespace condense {
inline namespace v1 {
/// The view of a conversation that would be sent: the outline's messages plus the edits in force. The edits are one
/// list of steps; each part and group knows the step in force on it, and each step the one before. So an edit and its
/// undoing cost no more than a look at one message (a new message that merges groups costs a look at these), taking
/// steps back allocates nothing and cannot fail, and the sums are always up to date. Written by drafts, and by a
/// session when messages come or go. A template, so that a program that only includes it instantiates nothing of it.
template <class = void>
class basic_view {
public:
    using replacement = detail::view_replacement;
    using step = detail::view_step;
    using totals = detail::view_totals;
    static constexpr std::uint32_t forgotten = detail::none32;  ///< number of the step that dropped a released group

    /// Usage of the request, without the overhead and before scaling.
    constexpr totals const& sums() const noexcept { return sums_; }
    constexpr std::vector<step> const& steps() const noexcept { return steps_; }
    constexpr std::vector<replacement> const& texts() const noexcept { return texts_; }
    /// The steps that dropped a summary, ascending.
    constexpr std::vector<std::uint32_t> const& summary_drops() const noexcept { return summary_drops_; }
    constexpr replacement const& text_at(std::uint32_t index) const noexcept { return texts_[index]; }
    constexpr std::size_t group_count() const noexcept { return live_.size() / 2; }

    /// The group, or the summary, would be sent.
    constexpr bool present(group which) const noexcept {
        auto const& state = groups_[which.id()];
        return which.is_summary() ? state.summary != 0 : state.present();
    }
    /// The first place from `place` on where something would be sent. Places 2i and 2i + 1 are the summary before group
    /// i and the group itself; twice the number of groups is the end.
    [[gnu::noinline]] constexpr std::uint32_t next_place(std::uint32_t place) const noexcept {
        place = live_.next(place);
        // A message that is live and has no group of its own has joined another.
        while (place % 2 == 1 && groups_[place / 2].messages == 0) place = live_.next(place + 1);
        return place;
    }
    /// The first place from `place` on of a message that is sent, 2i + 1, or of the summary before it, 2i; twice the
    /// number of messages is the end. Costs what is sent, not what was.
    [[gnu::noinline]] constexpr std::uint32_t next_sent(outline const& facts, std::uint32_t place) const noexcept {
        place = live_.next(place);
        if (!has_removed_) return place;
        while (place < live_.size() && place % 2 == 1 && emptied(facts, place / 2)) place = live_.next(place + 1);
        return place;
    }
    /// Calls f(index) for each message that is sent, in order, as `next_sent` finds them while f edits.
    template <class Function>
    constexpr void each_sent(outline const& facts, Function&& f) const {
        live_.each([&](std::uint32_t place) {
            if (place % 2 == 1 && !emptied(facts, place / 2)) f(place / 2);
        });
    }
    /// The last one before `place`; none32 if there is none.
    constexpr std::uint32_t previous_sent(outline const& facts, std::uint32_t place) const noexcept {
        place = live_.previous(place);
        while (place != detail::none32 && place % 2 == 1 && emptied(facts, place / 2)) place = live_.previous(place);
        return place;
    }
    /// Why no layer may drop the group, whether it is present or not; none where one may.
    static constexpr refusal::reason bound(outline const& facts, group which) noexcept {
        if (which.is_summary()) return refusal::none;
        auto const& record = facts.group_at(which.id());
        if (record.system) return refusal::system;
        if (record.pinned) return refusal::pinned;
        if (facts.open(record, which.id())) return refusal::open;
        if (record.last < facts.latest_user()) return refusal::none;
        if (facts.group_of(facts.latest_user()) == which.id()) return refusal::latest_user;
        return facts.answers_latest_user(which.id()) ? refusal::latest_answer : refusal::none;
    }
    /// The text of a summary that is present.
    constexpr replacement const& summary_text(group which) const noexcept {
        return texts_[steps_[groups_[which.id()].summary - 1].text];
    }
    /// The step in force for a part, plus one; 0 for none.
    constexpr std::uint32_t edit_at(std::size_t part_id) const noexcept { return parts_[part_id].edit; }
    constexpr step const* edit_of(std::size_t part_id) const noexcept {
        return parts_[part_id].edit == 0 ? nullptr : &steps_[parts_[part_id].edit - 1];
    }
    /// The cost of a part after its edit; 0 for a removed one.
    constexpr v1::cost part_cost(outline const& facts, std::size_t part_id) const noexcept {
        auto const* const changed = edit_of(part_id);
        return changed != nullptr ? changed->after : facts.part_at(part_id).cost;
    }
    /// The part that a group, or a summary that is present, adds to the sums when it is present.
    constexpr totals of(group which) const noexcept {
        auto const& state = groups_[which.id()];
        if (which.is_summary()) return of_summary(steps_[state.summary - 1]);
        return state.all();
    }
    /// How many messages that is.
    constexpr std::uint64_t messages_of(group which) const noexcept {
        return which.is_summary() ? 1 : groups_[which.id()].messages;
    }
    /// A step has dropped the group, or replaced it by a summary.
    constexpr bool is_dropped(std::uint32_t group_id) const noexcept { return groups_[group_id].dropped != 0; }
    /// The request holds something beside system messages, or there is nothing else that could be sent.
    constexpr bool has_conversation(outline const& facts) const noexcept {
        auto const end = static_cast<std::uint32_t>(2 * facts.size());
        for (auto place = next_sent(facts, 0); place < end; place = next_sent(facts, place + 1))
            if (place % 2 == 0 || facts.message_at(place / 2).speaker != role::system) return true;
        bool others = false;
        facts.each_record([&](std::uint32_t group_id) {
            auto const& record = facts.group_at(group_id);
            others = others || (record.count != 0 && !record.system && !record.unsendable);
        });
        return !others;
    }
    /// A summary of this run or of an earlier one, as its mark says.
    static constexpr bool sums_up(outline const& facts, group which) noexcept {
        return which.is_summary() || facts.group_at(which.id()).summary;
    }
    /// The summary of this view that is sent, if there is one: never two, as no verb of a draft leaves another beside
    /// it.
    constexpr std::optional<group> written_summary() const noexcept {
        for (auto place = next_place(0); place < live_.size(); place = next_place(place + 1))
            if (place % 2 == 0) return group{place / 2}.summary();
        return {};
    }
    /// A summary is sent that another one would replace, as no layer must leave it. A request holds one such summary.
    /// Costs a look at each group that is sent.
    constexpr bool has_summary(outline const& facts) const noexcept {
        for (auto place = next_place(0); place < live_.size(); place = next_place(place + 1)) {
            auto const which = place % 2 == 0 ? group{place / 2}.summary() : group{place / 2};
            if (sums_up(facts, which) && !bound(facts, which)) return true;
        }
        return false;
    }
    /// The message had parts, and all of them were removed, so that it is not sent.
    constexpr bool emptied(outline const& facts, std::uint32_t index) const noexcept {
        if (!has_removed_) return false;
        auto const count = facts.message_at(index).part_count;
        return count != 0 && groups_[index].removed == count;
    }
    /// How many parts of the message were removed.
    constexpr std::uint32_t removed_parts(std::uint32_t index) const noexcept { return groups_[index].removed; }
    /// The message would be sent, with or without edits.
    constexpr bool sends(outline const& facts, std::uint32_t index) const noexcept {
        return live_.contains(2 * index + 1) && !emptied(facts, index);
    }
    /// How often something has come back: a group, the original of a part, or what was there before steps were taken
    /// back. As long as it stays, whoever has looked at a message need not look again.
    constexpr std::uint64_t restorations() const noexcept { return restorations_; }
    /// Results were written for calls of the group.
    constexpr bool has_answers(std::uint32_t group_id) const noexcept { return groups_[group_id].answers != 0; }
    /// The step that wrote a result for the call with this part_id, plus one; 0 for none.
    constexpr std::uint32_t answer_at(std::size_t part_id) const noexcept { return parts_[part_id].answer; }
    constexpr replacement const& answer_text(std::size_t part_id) const noexcept {
        return texts_[steps_[parts_[part_id].answer - 1].text];
    }
    /// How many messages, from the first on, were sent in some request before.
    constexpr std::uint64_t sent() const noexcept { return sent_; }
    constexpr void note_sent(std::uint64_t count) noexcept { sent_ = count; }
    /// Notes how many tokens of the latest request the provider read from its cache.
    constexpr void note_cached(tokens count) noexcept { cached_ = count; }
    constexpr tokens cached() const noexcept { return cached_; }

    /// Notes that a last resort has taken the task out.
    constexpr void note_task_taken(bool taken) noexcept { task_taken_ = taken; }
    constexpr bool task_taken() const noexcept { return task_taken_; }
    /// True where it was taken out and can be sent again.
    constexpr bool lacks_task(outline const& facts) const noexcept {
        if (!task_taken_ || facts.task() == detail::none32) return false;
        auto const group_id = facts.group_of(facts.task());
        return !present(group{group_id}) && !facts.group_at(group_id).unsendable;
    }

    /// Sets whether bound parts leave with what stood before them, and finds those that are sent.
    constexpr void bind(outline const& facts, bool binds) {
        if (binds_ == binds) return;
        std::vector<std::uint32_t> found;
        if (binds)
            facts.parts().each([&](std::uint32_t part_id) {
                auto const& part = facts.part_at(part_id);
                if (!part.bound || is_dropped(facts.group_of(part.message_index))) return;
                auto const* const changed = edit_of(part_id);
                if (changed == nullptr || changed->kind != edit_kind::remove) found.push_back(part_id);
            });
        bound_ = std::move(found);
        binds_ = binds;
    }
    constexpr bool binds() const noexcept { return binds_; }
    /// Part ids of the bound parts that are sent, ascending; none where they stay whatever happens.
    constexpr std::vector<std::uint32_t> const& bound_parts() const noexcept { return bound_; }
    /// Removes the bound parts from `first` on. Allocates nothing where `reserve_message` was called since the last
    /// message.
    [[gnu::noinline]] constexpr void remove_bound(outline const& facts, std::uint32_t first, std::uint16_t author = 0) {
        while (!bound_.empty() && bound_.back() >= first)
            edit_part(facts, edit_kind::remove, bound_.back(), {}, {}, author);
    }

    /// Removes those from `first` on, and all that are not among `sent`, as no provider takes one that was left out.
    constexpr void keep_bound(outline const& facts, std::uint32_t first, std::vector<std::uint32_t> const& sent) {
        auto kept = sent.size();
        for (auto index = bound_.size(); index-- > 0;) {
            auto const part_id = bound_[index];
            while (kept != 0 && sent[kept - 1] > part_id) --kept;
            if (part_id >= first || kept == 0 || sent[kept - 1] != part_id)
                edit_part(facts, edit_kind::remove, part_id, {}, {});
        }
    }

    /// Sets the scale by which sums become tokens from here on.
    constexpr void calibrate(detail::token_scale scale) noexcept { scale_ = scale; }
    constexpr detail::token_scale const& scale() const noexcept { return scale_; }
    /// The tokens of a sum that includes the overhead, scaled and rounded upward, once.
    constexpr tokens measured(v1::cost sum) const noexcept { return scale_(sum); }
    /// Usage of the request, as triggers and reports see it.
    constexpr v1::usage used(v1::budget const& limits) const noexcept {
        auto result = counts(limits);
        result.tokens = measured(sums_.cost + v1::cost::of(limits.overhead));
        return result;
    }
    /// Usage without the tokens.
    constexpr v1::usage counts(v1::budget const& limits) const noexcept {
        return {.input = limits.input(),
                .messages = {sums_.messages},
                .turns = {sums_.turns},
                .images = {sums_.images},
                .bytes = {sums_.bytes},
                .cached = cached_,
                .begins_turn = begins_turn_};
    }

    /// True while the step decides what is sent: no later step has replaced or undone it.
    constexpr bool in_force(std::size_t index) const noexcept {
        auto const& edit = steps_[index];
        if (edit.on_part)
            return (edit.kind == edit_kind::repair ? parts_[edit.target].answer : parts_[edit.target].edit) ==
                   index + 1;
        group const which{edit.target};
        auto const& state = groups_[which.id()];
        if (edit.kind != edit_kind::drop) return edit.kind == edit_kind::summarize && state.summary == index + 1;
        return which.is_summary() ? state.summary == 0 : state.dropped == index + 1;
    }

    /// Reserves room for so many messages of one part each, so that reading a history allocates less often.
    constexpr void expect(std::size_t count) {
        groups_.reserve_more(count);
        parts_.reserve_more(count);
        steps_.reserve(count);
        live_.reserve_more(2 * count);
    }
    /// Reserves room for a message of `parts` parts, so that `on_message_placed` and one further step cannot fail.
    constexpr void reserve_message(std::size_t parts) {
        groups_.reserve_more(1);
        live_.reserve_more(2);
        parts_.reserve_more(parts);
        detail::grow(bound_, parts);
        detail::grow(steps_, 3 + 3 * parts + bound_.size());
    }

    /// Adds the message that the outline has just placed; `joins` is what outline::place returned. A dropped group is
    /// restored when a message joins it, as a result must not be sent without its call.
    constexpr void on_message_placed(outline const& facts, std::size_t joins) noexcept {
        register_last(facts, joins);
        retract_answers(facts, static_cast<std::uint32_t>(facts.size() - 1));
    }

    /// To be called after a `take_back` of steps older than message `first`: that message and those after it stay, and
    /// the steps that their arrival caused are made again. Allocates nothing, as the room of the old steps is free.
    constexpr void follow_again(outline const& facts, std::size_t first) noexcept {
        for (auto index = static_cast<std::uint32_t>(first); index < facts.size(); ++index) {
            sync_visibility(facts, facts.group_of(index));
            retract_answers(facts, index);
        }
    }

    // For drafts. Each function adds one step; `take_back` undoes the newest ones. None checks a rule
    // of the conversation: that is the draft's part.

    /// Makes room for steps and texts, so that adding them cannot fail halfway.
    constexpr void reserve_edits(std::size_t steps, std::size_t texts) {
        detail::grow(steps_, steps);
        detail::grow(texts_, texts);
    }

    /// Puts an edit of a part in force; `text` is used by shorten and externalize only.
    constexpr void edit_part(outline const& facts, edit_kind kind, std::uint32_t part_id, v1::cost after,
                             replacement text, std::uint16_t author = 0) {
        auto const has_text = kind == edit_kind::shorten || kind == edit_kind::externalize;
        reserve_edits(1, has_text ? 1 : 0);
        steps_.push_back({.kind = kind,
                          .on_part = true,
                          .author = author,
                          .target = part_id,
                          .previous = parts_[part_id].edit,
                          .text = has_text ? static_cast<std::uint32_t>(texts_.size()) : detail::none32,
                          .before = part_cost(facts, part_id),
                          .after = after});
        if (has_text) texts_.push_back(std::move(text));
        restorations_ += kind == edit_kind::restore ? 1u : 0u;
        change_part(facts, steps_.back().before, after, part_id,
                    kind == edit_kind::restore ? 0 : static_cast<std::uint32_t>(steps_.size()));
    }

    /// Drops a group or a summary that is present. Allocates nothing where room for the step is reserved, as it is
    /// while a message is placed.
    constexpr void drop(outline const& facts, group which) {
        if (which.is_summary()) return drop_summary(which);
        if (steps_.size() == steps_.capacity()) return drop_with_room(facts, which);
        auto& state = groups_[which.index];
        step const edit{.kind = edit_kind::drop, .target = which.index, .before = state.cost};
        steps_.push_back(edit);
        sums_ -= state.all();
        state.dropped = static_cast<std::uint32_t>(steps_.size());
        show(facts, which.index, false);
    }

    /// Puts back a group that was dropped or summarised, or the summary that step `dropped_by` took out.
    constexpr void undrop(outline const& facts, group which, std::size_t dropped_by = 0) {
        reserve_edits(1, 0);
        ++restorations_;
        auto& state = groups_[which.id()];
        auto const dropped_step = which.is_summary() ? static_cast<std::uint32_t>(dropped_by + 1) : state.dropped;
        steps_.push_back({.kind = edit_kind::restore, .target = which.index, .previous = dropped_step});
        if (which.is_summary()) set_summary(which.id(), steps_[dropped_by].previous);
        else restore(facts, which.id());
        auto const restored = of(which);
        steps_.back().after = restored.cost;
        sums_ += restored;
    }

    /// Writes a summary before group `group_id`, where there must be none yet.
    constexpr void summarize(std::uint32_t group_id, std::string text, v1::cost after) {
        reserve_edits(1, 1);
        steps_.push_back({.kind = edit_kind::summarize,
                          .target = group_id,
                          .text = static_cast<std::uint32_t>(texts_.size()),
                          .after = after});
        texts_.push_back({.text = std::move(text)});
        set_summary(group_id, static_cast<std::uint32_t>(steps_.size()));
        sums_ += of_summary(steps_.back());
    }

    /// Writes a result for a call that has none.
    constexpr void answer(outline const& facts, std::uint32_t part_id, std::string text, v1::cost after) {
        reserve_edits(1, 1);
        steps_.push_back({.kind = edit_kind::repair,
                          .on_part = true,
                          .target = part_id,
                          .text = static_cast<std::uint32_t>(texts_.size()),
                          .after = after});
        texts_.push_back({.text = std::move(text)});
        set_answer(facts, part_id, static_cast<std::uint32_t>(steps_.size()));
    }

    /// Withdraws the result that was written for a call. Room for the step must be reserved.
    constexpr void retract_answer(outline const& facts, std::uint32_t part_id) noexcept {
        steps_.push_back(
            {.kind = edit_kind::repair, .on_part = true, .target = part_id, .previous = parts_[part_id].answer});
        set_answer(facts, part_id, 0);
    }

    /// Fills an empty view with all messages of an outline, without edits; `redo` then repeats those that were saved.
    constexpr void place_all(outline const& facts) {
        auto const& layout = facts.layout();
        parts_ = {facts.parts().layout(), {}, facts.part_count(), facts.parts().count()};
        groups_ = {layout, {.dropped = forgotten}, facts.size(), facts.record_count()};
        std::vector<std::uint32_t> early;
        for (auto const index : layout.early) early.push_back(2 * index), early.push_back(2 * index + 1);
        live_ = {static_cast<std::uint32_t>(2 * layout.dense), std::move(early)};
        live_.reserve_more(2 * groups_.size());
        live_.extend_to(static_cast<std::uint32_t>(2 * groups_.size()));
        facts.each_record([&](std::uint32_t index) {
            auto const& message = facts.message_at(index);
            if (message.released) return void(groups_[index].dropped = forgotten);
            live_.insert(2 * index + 1);
            count_message(facts, groups_[facts.group_of(index)], index);
            for (auto const part_id : message.parts())
                if (binds_ && facts.part_at(part_id).bound) bound_.push_back(part_id);
        });
        facts.each_record([&](std::uint32_t index) {
            if (!facts.message_at(index).released) sums_ += groups_[index].all();
        });
        note_turn(facts);
    }
    /// Has this view stand in the place of one of the same conversation: messages may be other ones than there.
    constexpr void follow(basic_view const& other) noexcept { restorations_ = other.restorations_ + 1; }
    /// And takes over what that knows beside its edits.
    constexpr void take_facts_of(basic_view const& other) noexcept {
        follow(other);
        sent_ = other.sent_;
        cached_ = other.cached_;
        scale_ = other.scale_;
        task_taken_ = other.task_taken_;
    }
    /// Undoes the newest steps until only `until` are left. Each costs what the step has cost; allocates nothing.
    constexpr void take_back(outline const& facts, std::size_t until) noexcept {
        restorations_ += steps_.size() > until ? 1u : 0u;
        while (steps_.size() > until) take_back_newest(facts);
    }

private:
    /// Drops come in runs, so it makes room for all that is there. Apart from `drop`, which is called for each of them.
    [[gnu::noinline]] constexpr void drop_with_room(outline const& facts, group which) {
        detail::grow(steps_, detail::as_size(sums_.messages) + 1);
        drop(facts, which);
    }
    [[gnu::noinline]] constexpr void drop_summary(group which) {
        auto const lost = of(which);
        detail::grow(steps_, 1);
        detail::grow(summary_drops_, 1);
        summary_drops_.push_back(static_cast<std::uint32_t>(steps_.size()));
        steps_.push_back({.kind = edit_kind::drop,
                          .target = which.index,
                          .previous = groups_[which.id()].summary,
                          .before = lost.cost});
        sums_ -= lost;
        set_summary(which.id(), 0);
    }

    /// Withdraws written results for calls that this message answers itself, and removes its results of released calls,
    /// which can never be sent again.
    constexpr void retract_answers(outline const& facts, std::uint32_t index) noexcept {
        for (auto const part_id : facts.message_at(index).parts()) {
            auto const& part = facts.part_at(part_id);
            if (part.late && parts_[part_id].edit == 0 && groups_[facts.group_of(index)].dropped == 0) {
                steps_.push_back({.kind = edit_kind::remove, .on_part = true, .target = part_id, .before = part.cost});
                change_part(facts, part.cost, {}, part_id, static_cast<std::uint32_t>(steps_.size()));
            }
            auto const call_id = part.kind == part_kind::tool_result ? facts.call_part_id(part) : detail::none32;
            if (call_id == detail::none32 || parts_[call_id].answer == 0) continue;
            retract_answer(facts, call_id);
        }
    }
    constexpr void register_last(outline const& facts, std::size_t joins) noexcept {
        auto const index = static_cast<std::uint32_t>(facts.size() - 1);
        auto const& message = facts.message_at(index);
        totals gained{.cost = message.frame, .messages = 1, .turns = message.plain_user ? 1u : 0u};
        for (auto part_id = message.first_part; part_id < facts.part_count(); ++part_id) {
            parts_.push_back({});
            gained.cost += facts.part_at(part_id).cost;
            gained += content_of(facts, part_id);
            if (binds_ && facts.part_at(part_id).bound) bound_.push_back(part_id);
        }
        groups_.push_back({});  // each message begins one
        live_.extend_to(2 * index + 2);
        note_turn(facts);
        auto const group_id = facts.group_of(index);
        if (joins > 1) return resum(facts, group_id);
        if (groups_[group_id].dropped == 0) live_.insert(2 * index + 1);
        groups_[group_id].add(gained.cost, static_cast<std::uint32_t>(gained.turns));
        groups_[group_id].add_content(gained);
        if (groups_[group_id].dropped == 0) sums_ += gained;
        sync_visibility(facts, group_id);
    }

    /// Restores a dropped group that a new member has joined, and drops a group that can never be sent as a whole again
    /// because a message of it was released.
    constexpr void sync_visibility(outline const& facts, std::uint32_t group_id) noexcept {
        bool const dropped = groups_[group_id].dropped != 0;
        if (facts.group_at(group_id).unsendable == dropped) return;
        if (dropped) undrop(facts, group{group_id});
        else drop(facts, group{group_id});
    }

    /// Notes of all messages of a group whether they are live.
    constexpr void show(outline const& facts, std::uint32_t group_id, bool live) noexcept {
        for (auto const index : facts.members_of(group_id))
            if (live) live_.insert(2 * index + 1);
            else live_.erase(2 * index + 1);
    }
    constexpr void restore(outline const& facts, std::uint32_t group_id) noexcept {
        groups_[group_id].dropped = 0;
        show(facts, group_id, true);
    }
    constexpr void set_summary(std::uint32_t group_id, std::uint32_t step_number) noexcept {
        groups_[group_id].summary = step_number;
        if (step_number != 0) live_.insert(2 * group_id);
        else live_.erase(2 * group_id);
    }

    constexpr void note_turn(outline const& facts) noexcept {
        begins_turn_ = facts.size() != 0 && facts.message_at(facts.size() - 1).plain_user;
    }
    constexpr totals of_summary(step const& edit) const noexcept {
        return {edit.after, 1, 0, 0, texts_[edit.text].text.size()};
    }
    /// The images and bytes of a part as it is sent.
    constexpr totals content_of(outline const& facts, std::uint32_t part_id) const noexcept {
        auto const& part = facts.part_at(part_id);
        auto const* const changed = edit_of(part_id);
        if (changed == nullptr) return {.images = part.kind == part_kind::media ? 1u : 0u, .bytes = part.size};
        return {.bytes = changed->text == detail::none32 ? 0 : texts_[changed->text].text.size()};
    }

    /// Puts another step in force on a part, 0 for none, and updates the sums of its group: a message whose last part
    /// goes is not sent any more, so that its frame and turn go, too.
    constexpr void change_part(outline const& facts, v1::cost before, v1::cost after, std::uint32_t part_id,
                               std::uint32_t edit) noexcept {
        auto const index = facts.part_at(part_id).message_index;
        auto& state = groups_[facts.group_of(index)];
        bool const shown = state.dropped == 0;
        if (shown) sums_ -= state.all();
        bool const was_there = !emptied(facts, index);
        auto const removes = [this](std::uint32_t number) {
            return number != 0 && steps_[number - 1].kind == edit_kind::remove;
        };
        groups_[index].removed -= removes(parts_[part_id].edit) ? 1u : 0u;
        groups_[index].removed += removes(edit) ? 1u : 0u;
        if (binds_ && facts.part_at(part_id).bound && removes(edit) != removes(parts_[part_id].edit))
            note_bound(part_id);
        state.remove_content(content_of(facts, part_id));
        parts_[part_id].edit = edit;
        state.add_content(content_of(facts, part_id));
        has_removed_ = has_removed_ || removes(edit);
        bool const is_there = !emptied(facts, index);
        state.cost = state.cost - before + after;
        auto const& message = facts.message_at(index);
        if (is_there && !was_there) state.add(message.frame, message.plain_user ? 1u : 0u);
        if (was_there && !is_there)
            state.cost -= message.frame, --state.messages, state.turns -= message.plain_user ? 1u : 0u;
        if (shown) sums_ += state.all();
    }

    /// Takes a bound part off the list of those that are sent, or puts it back, for which there is room then.
    [[gnu::noinline]] constexpr void note_bound(std::uint32_t part_id) noexcept {
        auto place = bound_.end();
        while (place != bound_.begin() && *(place - 1) >= part_id) --place;
        if (place != bound_.end() && *place == part_id) bound_.erase(place);
        else bound_.insert(place, part_id);
    }

    /// Puts another step in force as a call's written result, 0 for none; the result counts as one message.
    constexpr void set_answer(outline const& facts, std::uint32_t part_id, std::uint32_t step_number) noexcept {
        auto const group_id = facts.group_of(facts.part_at(part_id).message_index);
        auto& state = groups_[group_id];
        bool const shown = state.dropped == 0;
        if (shown) sums_ -= state.all();
        if (auto const previous = parts_[part_id].answer) {
            state.cost -= steps_[previous - 1].after;
            state.bytes -= texts_[steps_[previous - 1].text].text.size();
            --state.messages;
            --state.answers;
        }
        if (step_number != 0) {
            state.add(steps_[step_number - 1].after, 0);
            state.bytes += texts_[steps_[step_number - 1].text].text.size();
            ++state.answers;
        }
        parts_[part_id].answer = step_number;
        if (shown) sums_ += state.all();
    }

    /// The exact inverse of the newest step, by what the step recorded.
    constexpr void take_back_newest(outline const& facts) noexcept {
        auto const edit = steps_.back();
        if (edit.kind == edit_kind::repair) set_answer(facts, edit.target, edit.previous);
        else if (edit.on_part) {
            change_part(facts, edit.after, edit.before, edit.target, edit.previous);
        } else if (edit.kind == edit_kind::drop) {
            if (group{edit.target}.is_summary()) {
                set_summary(group{edit.target}.id(), edit.previous);
                summary_drops_.pop_back();
            } else restore(facts, edit.target);
            sums_ += of(group{edit.target});
        } else if (edit.kind == edit_kind::restore) {
            sums_ -= of(group{edit.target});
            if (group{edit.target}.is_summary()) set_summary(group{edit.target}.id(), 0);
            else {
                groups_[edit.target].dropped = edit.previous;
                show(facts, edit.target, false);
            }
        } else {
            sums_ -= of_summary(edit);
            set_summary(edit.target, 0);
        }
        if (edit.text != detail::none32) texts_.pop_back();
        steps_.pop_back();
    }

    /// Recounts several groups that became one, which now has the index `group_id`. A group that had been dropped is
    /// there again with the one that it has joined. Linear in the members, each of which once began a group.
    constexpr void resum(outline const& facts, std::uint32_t group_id) noexcept {
        for (auto const index : facts.members_of(group_id)) {
            if (index != group_id && groups_[index].dropped != 0) undrop(facts, group{index});
            auto& state = groups_[index];
            if (state.dropped == 0) sums_ -= state.all();
            state.clear_counts();
        }
        for (auto const index : facts.members_of(group_id)) count_message(facts, groups_[group_id], index);
        bool const shown = groups_[group_id].dropped == 0;
        if (shown) sums_ += groups_[group_id].all();
        show(facts, group_id, shown);
        sync_visibility(facts, group_id);
    }
    /// Adds a message with its parts and the results written for its calls to the counts of its group.
    constexpr void count_message(outline const& facts, detail::view_group& state, std::uint32_t index) const noexcept {
        auto const& message = facts.message_at(index);
        if (!emptied(facts, index)) state.add(message.frame, message.plain_user ? 1u : 0u);
        for (auto const part_id : message.parts()) {
            state.cost += part_cost(facts, part_id);
            state.add_content(content_of(facts, part_id));
            if (parts_[part_id].answer == 0) continue;
            state.add(steps_[parts_[part_id].answer - 1].after, 0);
            state.bytes += answer_text(part_id).text.size();
            ++state.answers;
        }
    }

    std::vector<step> steps_;
    std::vector<replacement> texts_;
    std::vector<std::uint32_t> summary_drops_;
    std::vector<std::uint32_t> bound_;
    detail::sparse_vector<detail::view_part> parts_;
    detail::sparse_vector<detail::view_group> groups_;
    detail::place_set live_;  ///< messages of groups that are not dropped, and summaries: walks pass over all others
    totals sums_ = {};
    std::uint64_t sent_ = detail::u64_limit;
    std::uint64_t restorations_ = 0;
    tokens cached_ = {};
    detail::token_scale scale_;
    bool begins_turn_ = false;
    bool binds_ = true;
    bool task_taken_ = false;
    bool has_removed_ = false;  ///< some part was removed at some time; saves `emptied` a look at the message
};

using view = basic_view<>;

namespace detail {

/// Whether a summary may be written in place of some groups: no other may stand beside it.
class summary_check {
public:
    constexpr summary_check(outline const& facts, view const& edits) noexcept
        : facts_{&facts}, edits_{&edits}, written_{edits.written_summary().value_or(group{})} {}

    constexpr void replace(group which) noexcept {
        replaces_ = replaces_ || (edits_->present(which) && view::sums_up(*facts_, which));
        if (which == written_) written_ = {};
    }
    constexpr bool leaves_another() const noexcept {
        return written_.is_summary() || (!replaces_ && edits_->has_summary(*facts_));
    }

private:
    outline const* facts_;
    view const* edits_;
    group written_;  ///< the summary of this view that is left; no summary if there is none
    bool replaces_ = false;
};

/// Until the returned guard is destroyed, all sums of a view are scaled so that `estimated` tokens come to `actual`.
template <class View>
constexpr auto calibration_scope(View& edits, tokens estimated, tokens actual, tokens apart = {}) noexcept {
    auto const before = edits.scale();
    edits.calibrate(token_scale::of(estimated, actual, apart));
    return scope_exit{[&edits, before] { edits.calibrate(before); }};
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
