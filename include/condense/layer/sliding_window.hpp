// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/layer.hpp>
#include <condense/detail/unset.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/slots.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/policy/worth.hpp>

// Drops the oldest groups until enough: sliding_window{.when = used > 100_messages, .until = used <=
// 90_messages}. What remains begins at a turn where there is one, else at a group.

namespace condense {
inline namespace v1 {

/// Loses whole groups, oldest first; costs one walk over the groups, reads no text unless `protect`
/// does. Summaries stay until the last pass.
template <trigger When = decltype(used >= percent{}), class Until = from_when, protection Protect = task_t,
          class Worth = any_gain>
struct sliding_window {
    When when = detail::slot_default<When>(used >= percent{9'000});
    Until until = detail::slot_default<Until>();
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();

    static constexpr effect effects = drops;
    static constexpr bool last_resort = true;

    constexpr void validate() const { detail::check_target(when, until); }

    constexpr void reduce(auto& draft, auto& pass) const {
        auto const kept = detail::bind_protection(protect, draft, pass);
        drop_oldest(draft, pass, kept, false);
        if (pass.top() && !pass.enough()) drop_oldest(draft, pass, kept, true);
    }

    friend bool operator==(sliding_window const&, sliding_window const&) = default;

private:
    /// The first user message and summaries go only when nothing else is left to go.
    static constexpr void drop_oldest(auto& draft, auto& pass, auto const& kept, bool all) {
        auto const stays = [&](group which, group_facts const& facts) {
            bool const spared = !all && (facts.summary || (pass.top() && draft.holds_task(which)));
            return spared || draft.undroppable(which) || kept.holds(which);
        };
        auto last_begin = group{};
        for (auto const which : draft.groups())
            if (auto const facts = draft.about(which); facts.starts_turn || facts.summary) last_begin = which;
        bool has_head = false;
        for (auto const which : draft.groups()) {
            auto const facts = draft.about(which);
            if (facts.system) continue;
            bool const begins = facts.starts_turn || facts.summary;
            // Once enough is gone, go on to the next turn, so that the rest does not begin amid one.
            // Where no turn begins any more, a group will do.
            if (pass.enough() && (has_head || begins || which.slot() >= last_begin.slot())) return;
            if (stays(which, facts) || (!has_head && begins && must_head(draft, which, stays))) has_head = true;
            else if (auto const refused = draft.drop(which)) pass.note(refused);
        }
    }

    /// Something in the turn that `head` begins has to stay, so `head` has to stay before it.
    static constexpr bool must_head(auto& draft, group head, auto const& stays) {
        for (auto const which : draft.groups_after(head)) {
            auto const facts = draft.about(which);
            if (facts.system) continue;
            if (facts.starts_turn || facts.summary) return false;
            if (stays(which, facts)) return true;
        }
        return false;
    }
};

namespace detail {

template <>
struct window_layer<void> {
    /// Leaves so many messages at most.
    static constexpr auto of(messages most) { return sliding_window{.when = used > most, .until = used <= most}; }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
