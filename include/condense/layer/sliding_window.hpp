// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <condense/core/layer.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/slots.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/policy/worth.hpp>

// Drops the oldest groups until its target is reached: sliding_window{.when = used > 100_messages, .until = used <=
// 90_messages}. What remains starts at the beginning of a turn if there is one, else of a group.

namespace condense {
inline namespace v1 {

/// Loses whole groups, oldest first; costs one walk over the groups, and reads no text unless `protect` does.
/// Summaries, also those of the same run, stay until the last pass. At the top of pressure it drops all that may be
/// dropped.
template <condition When = trigger, protection Protect = task_t, class Worth = least_gain>
struct sliding_window {
    When when = detail::slot_default<When>(used >= percent{9'000});
    target until = {};
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    messages least = {};          ///< fewer are never left, except at the top of pressure
    std::string_view label = {};  ///< the layer's name in reports, which it must outlive

    static constexpr effect effects = drops;
    static constexpr bool last_resort = true;

    constexpr void validate() const { detail::check_target(when, until); }

    void reduce(auto& draft, auto& pass) const {
        auto const protected_set = detail::bind_protection(protect, draft, pass);
        auto const steps_before = draft.edits().steps().size();
        drop_oldest(draft, pass, protected_set, spare::summaries);
        if (pass.top() && !pass.enough()) drop_oldest(draft, pass, protected_set, spare::only_task);
        if (pass.top() && !pass.enough() && fits_without_task(draft, pass)) {
            if constexpr (detail::includes_task<Protect>) draft.note_task_taken();
            drop_oldest(draft, pass, protected_set, spare::none);
        }
        if (draft.edits().steps().size() == steps_before)
            detail::note_why_idle(draft, pass, protected_set,
                                  "nothing to do: what is left belongs to what has to stay");
    }

    friend bool operator==(sliding_window const&, sliding_window const&) = default;

private:
    /// Groups that stay in one walk: summaries, or not; and the task in all but the last, which is made only where it
    /// helps.
    enum class spare { summaries, only_task, none };

    /// True if dropping the task would be enough: in vain it stays.
    static bool fits_without_task(auto const& draft, auto const& pass) {
        auto now = draft.used();
        auto const index = draft.outline().task();
        if (index == detail::none32) return true;
        now.tokens = now.tokens - draft.measured(draft.about(group{draft.outline().group_of(index)}).cost);
        return pass.enough(now) || (pass.may_be_sent(now) && !pass.may_be_sent(draft.used()));
    }
    /// How many messages have to be left in this pass.
    constexpr std::uint64_t at_least(auto const& pass) const noexcept { return pass.top() ? 0 : least.count; }
    /// True if without the group fewer than so many messages would be left.
    static bool is_among_last(auto const& draft, group which, std::uint64_t count) noexcept {
        return count != 0 && draft.edits().sums().messages < count + draft.edits().messages_of(which);
    }

    /// Drops groups until the target is reached, then on to the next turn, so that the rest starts with a user message.
    /// At the top summaries go in a walk of their own after all others, and the task after them.
    void drop_oldest(auto& draft, auto& pass, auto const& protected_set, spare what) const {
        auto const& facts = draft.outline();
        auto const least_left = at_least(pass);
        auto const task_id = what != spare::none && pass.top() && facts.task() != detail::none32
                                 ? facts.group_of(facts.task())
                                 : detail::none32;
        auto const must_stay = [&](group which) {
            if (is_among_last(draft, which, least_left) || which.index == task_id || protected_set.holds(which))
                return true;
            return what == spare::summaries && draft.is_summary(which);
        };
        bool has_head = false;  // some group before this one stays: the rest need not start at a turn
        bool enough = pass.enough();
        std::uint32_t next_turn_id = 0;  // the group that begins the next turn; 0 if unknown
        for (auto const which : draft.groups()) {
            if (draft.is_system(which)) continue;
            // Enough: stop at a turn, or anywhere if no turn begins any more.
            if (enough && (has_head || draft.may_begin_request(which) || !turn_after(draft, which, next_turn_id)))
                return;
            if (must_stay(which) ||
                (!has_head && draft.may_begin_request(which) && must_keep_head(draft, which, must_stay)))
                has_head = true;
            else if (auto const refused = draft.drop(which); !refused) enough = pass.enough();
            else if (refused == refusal::last) pass.note(refused);
            else has_head = true;
        }
    }

    /// True if a turn begins after the group. Remembers where, so that all calls of one walk read each group once.
    static bool turn_after(auto& draft, group which, std::uint32_t& next_turn_id) {
        if (next_turn_id > which.id()) return true;
        for (auto const later : draft.groups_after(which)) {
            if (!draft.may_begin_request(later)) continue;
            next_turn_id = later.id();
            return true;
        }
        return false;
    }

    /// True if something in the turn that `head` begins has to stay: then the turn's first message stays before it.
    static bool must_keep_head(auto& draft, group head, auto const& must_stay) {
        for (auto const which : draft.groups_after(head)) {
            if (draft.is_system(which)) continue;
            if (draft.may_begin_request(which)) return false;
            if (must_stay(which) || draft.undroppable(which)) return true;
        }
        return false;
    }
};

namespace detail {

/// A template, so that only programs that use it instantiate the layer and its triggers.
template <class = void>
struct window_layer {
    /// A window that leaves at most `most` messages.
    static constexpr auto of(messages most) { return sliding_window{.when = used > most, .until = used <= most}; }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
