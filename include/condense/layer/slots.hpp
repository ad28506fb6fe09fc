// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string_view>

#include <condense/core/pass.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/shorten/shortener.hpp>
#include <condense/shorten/text_limit.hpp>

// What layers do with their slots: `when` and `until` are checked when a pipeline is constructed, `protect` is bound
// when the layer runs. Layers of your own use these too; see extend.hpp.

namespace condense {
inline namespace v1 {
namespace detail {

/// For a layer's validate(): throws unless `until` lies below `when`. Accepts any `when` that is not a trigger, since
/// what it compares is unknown.
template <condition When>
constexpr void check_target(When const& when, target const& until) {
    if constexpr (std::same_as<When, trigger>)
        reject_unless(!until.given || !conflicts(when, until.at),
                      "condense: until: the target must be below the trigger in `when` (see trigger)");
}

/// What `policy` protects in `draft` at this pass's pressure, to be asked by message index, group or part_view. Refers
/// to the draft and is valid for one hook call. Finds positions at once: costs at most one walk over the groups.
template <class Policy, class Draft, class Pass>
auto bind_protection(Policy const& policy, Draft const& draft, Pass const& pass) {
    return bound_protection<policy_of<Policy>, typename Draft::reader_type>{
        policy_of<Policy>{policy},
        draft,
        {.pressure = pass.pressure(), .top = pass.top(), .message_limit = pass.message_limit()}};
}

/// For the report: why a layer that takes whole groups has taken none. `otherwise` is the reason if some group was
/// free.
template <class Draft, class Pass, class Protection>
void note_why_idle(Draft const& draft, Pass& pass, Protection const& protected_set,
                   std::string_view otherwise = nothing_to_do) {
    if (pass.enough()) return pass.idle_as(target_reached);
    bool spared = false;
    bool beyond_tail = false;  // protected otherwise than as one of the newest messages
    for (auto const which : draft.groups()) {
        if (draft.undroppable(which)) continue;
        if (!protected_set.holds(which)) return pass.idle_as(otherwise);
        spared = true;
        beyond_tail = beyond_tail || !protected_set.holds_for_now(which);
    }
    if (!spared) return pass.idle_as(all_bound);
    if (beyond_tail) return pass.idle_as(all_protected);
    pass.idle_as(all_newest, protected_set.newest());
}

/// How often to halve the limits on a text: once for each step of pressure, and four times more at the top, a
/// sixteenth.
template <class Pass>
    requires requires(Pass const& pass) { pass.pressure(), pass.top(); }
constexpr unsigned halvings_of(Pass const& pass) noexcept {
    return pass.pressure() + (pass.top() ? 4u : 0u);
}

/// How much text such as a part's original the input would hold, for shares of the window in a `cut`. By the
/// estimator's count alone, so that cuts stay as they are while a session learns.
template <class Draft, class Facts>
bytes window_of(Draft const& draft, Facts const& facts) noexcept {
    auto const input = cost::of(draft.limits().input()).steps;
    if (input == 0 || facts.original_cost.steps == 0) return {u64_limit};
    return {share_of(facts.original_size.count, input, facts.original_cost.steps)};
}

}  // namespace detail

// Public names, for layers outside the library.
using detail::bind_protection;
using detail::check_target;
using detail::halvings_of;
using detail::note_why_idle;
using detail::window_of;

}  // namespace v1
}  // namespace condense
