// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <condense/core/layer.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/slots.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/policy/worth.hpp>

// Drops the oldest groups until enough: sliding_window{.when = used > 100_messages, .until = used <=
// 90_messages}. What remains begins at a turn where there is one, else at a group.

namespace condense {
inline namespace v1 {

/// Loses whole groups, oldest first; costs one walk over the groups, reads no text unless `protect`
/// does. Summaries, those of this run too, stay until the last pass.
template <condition When = trigger, protection Protect = task_t, class Worth = least_gain>
struct sliding_window {
    When when = detail::slot_default<When>(used >= percent{9'000});
    target until = {};
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    messages least = {};  ///< C5: fewer are never left, but at the top of pressure
    std::string_view label = {};  ///< in reports, in place of its type's name; must outlive them

    static constexpr effect effects = drops;
    static constexpr bool last_resort = true;

    constexpr void validate() const { detail::check_target(when, until); }

    constexpr void reduce(auto& draft, auto& pass) const {
        auto const kept = detail::bind_protection(protect, draft, pass);
        auto const steps = draft.edits().steps().size();
        drop_oldest(draft, pass, kept, spares::summaries);
        // A later run will take a summary of this one for a message, and drop it. Where the mix goes on until
        // nothing is left to do, that is now; else it is for the later run.
        if (!draft.edits().knows_summaries() && !pass.enough()) {
            if (pass.ends_in_last_resort()) drop_oldest(draft, pass, kept, spares::known_summaries);
            else
                for (auto const which : draft.groups())
                    if (which.is_summary() && !is_among_last(draft, pass, which)) pass.leaves_work();
        }
        if (pass.top() && !pass.enough()) drop_oldest(draft, pass, kept, spares::none);
        if (draft.edits().steps().size() == steps)
            detail::note_why_idle(draft, pass, kept, "nothing to do: what is left belongs to what has to stay");
    }

    friend bool operator==(sliding_window const&, sliding_window const&) = default;

private:
    enum class spares { summaries, known_summaries, none };

    /// C5: without it fewer than `least` would be left.
    constexpr bool is_among_last(auto const& draft, auto const& pass, group which) const noexcept {
        auto const& edits = draft.edits();
        return least.count != 0 && !pass.top() && edits.sums().messages < least.count + edits.messages_of(which);
    }

    /// The first user message and summaries go only when nothing else is left to go.
    constexpr void drop_oldest(auto& draft, auto& pass, auto const& kept, spares what) const {
        auto const spared = [&](group which) {
            if (is_among_last(draft, pass, which) || kept.holds(which)) return true;
            if (what == spares::none) return false;
            return (what == spares::summaries && which.is_summary()) || draft.is_summary(which) ||
                   (pass.top() && draft.holds_task(which));
        };
        bool has_head = false;
        bool enough = pass.enough();
        std::uint32_t next_turn = 0;  // the group that begins the next turn, where that is known
        for (auto const which : draft.groups()) {
            if (draft.is_system(which)) continue;
            bool const begins = draft.may_begin_request(which);
            // Once enough is gone, go on to the next turn, so that the rest does not begin amid one.
            // Where no turn begins any more, a group will do.
            if (enough && (has_head || begins || !turn_after(draft, which, next_turn))) return;
            if (spared(which) || (!has_head && begins && must_head(draft, which, spared))) has_head = true;
            else if (auto const refused = draft.drop(which); !refused) enough = pass.enough();
            else if (refused == refusal::last) pass.note(refused);
            else has_head = true;
        }
    }

    static constexpr bool turn_after(auto& draft, group which, std::uint32_t& next_turn) {
        if (next_turn > which.id()) return true;
        for (auto const later : draft.groups_after(which)) {
            if (!draft.may_begin_request(later)) continue;
            next_turn = later.id();
            return true;
        }
        return false;
    }

    /// Something in the turn that `head` begins has to stay, so `head` has to stay before it.
    static constexpr bool must_head(auto& draft, group head, auto const& spared) {
        for (auto const which : draft.groups_after(head)) {
            if (draft.is_system(which)) continue;
            if (draft.may_begin_request(which)) return false;
            if (spared(which) || draft.undroppable(which)) return true;
        }
        return false;
    }
};

namespace detail {

template <class = void>
struct window_layer {
    /// Leaves so many messages at most.
    static constexpr auto of(messages most) { return sliding_window{.when = used > most, .until = used <= most}; }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
