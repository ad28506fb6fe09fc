// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string_view>

#include <condense/core/pass.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/shorten/shortener.hpp>
#include <condense/shorten/text_limit.hpp>

// What the slots of all layers share: values checked when a pipeline is made, protections bound when
// a layer runs.

namespace condense {
inline namespace v1 {
namespace detail {

/// Of a condition of your own it is not known what it compares.
template <condition When>
constexpr void check_target(When const& when, target const& until) {
    if constexpr (std::same_as<When, trigger>)
        reject_unless(!until.given || !conflicts(when, until.at),
                      "condense: until: the target must be below the trigger in `when` (see trigger)");
}

template <class Policy, class Draft, class Pass>
constexpr auto bind_protection(Policy const& policy, Draft const& draft, Pass const& pass) {
    return bound_protection<policy_of<Policy>, typename Draft::reader_type>{
        policy_of<Policy>{policy},
        draft,
        {.pressure = pass.pressure(), .top = pass.top(), .message_limit = pass.message_limit()}};
}

/// Says of a layer that takes whole groups why it has taken none; `otherwise` where some are free to go.
template <class Draft, class Pass, class Shield>
constexpr void note_why_idle(Draft const& draft, Pass& pass, Shield const& kept,
                             std::string_view otherwise = nothing_to_do) {
    if (pass.enough()) return pass.idle_as(target_reached);
    bool spared = false;
    bool elsewhere = false;
    for (auto const which : draft.groups()) {
        if (draft.undroppable(which)) continue;
        if (!kept.holds(which)) return pass.idle_as(otherwise);
        spared = true;
        elsewhere = elsewhere || !kept.holds_for_now(which);
    }
    if (!spared) return pass.idle_as(all_bound);
    if (elsewhere) return pass.idle_as(all_protected);
    pass.idle_as(all_newest, kept.newest());
}

/// Each step of pressure halves what is kept of a text; the last one leaves a sixteenth of that.
template <class Pass>
constexpr unsigned halvings_of(Pass const& pass) noexcept {
    return pass.pressure() + (pass.top() ? 4u : 0u);
}

}  // namespace detail

// For layers of a user's own, see extend.hpp.
using detail::bind_protection;
using detail::check_target;
using detail::halvings_of;
using detail::note_why_idle;

}  // namespace v1
}  // namespace condense
