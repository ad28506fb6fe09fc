// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>
#include <vector>

#include <condense/core/edit.hpp>
#include <condense/core/handles.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/saturate.hpp>

// Which groups one summary replaces.

namespace condense {
inline namespace v1 {
namespace detail {

/// What one summary replaces.
struct summary_selection {
    std::vector<group> groups;
    v1::cost cost = {};
    unsigned new_groups = 0;  ///< those that are no summaries
    bool more = false;  ///< there were more than the model can read at once
    usage after = {};  ///< what would be used
};

/// What a summary leaves, and what it takes itself.
struct selection_rules {
    cost limit = {u64_limit};  ///< what a model reads at once
    tokens summary = {};
    bool spares_task = false;
    callable_ref<bool(group)> is_protected;
    callable_ref<bool(usage const&)> enough;
};

struct selection_landmarks {
    group newest = {};  ///< stays, so that the tail is never empty
    cost waiting = {};  ///< of the summaries that are still to come, for which room is left
};
template <class Reader>
selection_landmarks landmarks_of(Reader const& draft) {
    selection_landmarks found;
    for (auto const which : draft.groups()) {
        if (!draft.is_system(which)) found.newest = which;
        if (draft.is_summary(which) && !draft.undroppable(which)) found.waiting += draft.about(which).cost;
    }
    return found;
}

/// Takes a group out of a usage, but for its tokens.
inline void take_out(usage& from, group_facts const& facts) noexcept {
    from.messages = from.messages - messages{facts.count};
    from.turns = from.turns - turns{facts.plain_user ? 1u : 0u};
    from.images = from.images - facts.images;
    from.bytes = from.bytes - facts.bytes;
}

/// Selects every earlier summary, and the oldest free groups until the target would be reached; nothing if only a
/// summary would be replaced. At least one new group is selected, whatever the limit. `Reader` is the reader of a
/// draft, so that layers of different effects share it.
template <class Reader>
summary_selection select_groups(Reader const& draft, selection_rules const& rules) {
    auto [newest, waiting] = landmarks_of(draft);
    auto remaining = draft.used();  // what would be used after replacing what is selected so far
    auto const tokens_before = remaining.tokens + rules.summary;
    remaining.tokens = tokens_before;
    remaining.messages = remaining.messages + messages{1};
    summary_selection result;
    bool has_new = false;
    bool previous_selected = false;  // the group before the present one is selected
    unsigned summary_count = 0;
    for (auto const which : draft.groups()) {
        auto const facts = draft.about(which);
        // A result whose call is nowhere goes with its neighbours: behind a summary providers would refuse it.
        bool const is_stray = std::exchange(previous_selected, false) && !which.is_summary() && !facts.has_calls &&
                              !facts.plain_user && draft.outline().group_at(which.id()).orphan;
        bool const is_summary = facts.summary;
        if (draft.undroppable(which)) continue;
        if (!is_summary && !is_stray && (rules.is_protected(which) || rules.enough(remaining))) continue;
        if (!is_summary && (which == newest || (rules.spares_task && draft.holds_task(which)))) continue;
        // A summary is left out only where two are selected, and that of this view never: so that none stays beside
        // the one that is written.
        if (is_summary) waiting -= facts.cost;
        if (result.more && !is_summary) continue;
        bool const may_stay = !is_summary || (summary_count > 1 && !which.is_summary());
        if (has_new && may_stay && result.cost + waiting + facts.cost > rules.limit) {
            result.more = true;
            continue;
        }
        previous_selected = true;
        result.groups.push_back(which);
        result.cost += facts.cost;
        take_out(remaining, facts);
        remaining.tokens = tokens_before - draft.measured(result.cost);
        summary_count += is_summary ? 1u : 0u;  // two, of which a model could read but one at a time, become one
        result.new_groups += is_summary ? 0u : 1u;
        has_new = has_new || !is_summary || summary_count > 1;
    }
    result.after = remaining;
    if (!has_new) result.groups.clear();
    return result;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
