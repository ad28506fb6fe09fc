// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>

#include <condense/policy/extent.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/shortener.hpp>
#include <condense/policy/trigger.hpp>

// What the slots of all layers share: values checked when a pipeline is made, protections bound when
// a layer runs.

namespace condense {
inline namespace v1 {
namespace detail {

template <class When, class Until>
constexpr void check_target(When const& when, Until const& until) {
    static_assert(std::same_as<Until, from_when> || requires { until.bind(tokens{}); },
                  "condense: until: it must be a target such as used <= 50_pct (see trigger)");
    if constexpr (requires { conflicts(when, until); until.due(usage{}); })
        reject_unless(!conflicts(when, until), "condense: until: the target must be below the trigger in `when` (see trigger)");
}

template <class Policy, class Draft, class Pass>
constexpr auto bind_protection(Policy const& policy, Draft const& draft, Pass const& pass) {
    return shield<policy_of<Policy>, typename Draft::reader_type>{
        policy_of<Policy>{policy}, draft, {.pressure = pass.pressure(), .top = pass.top(), .message_limit = pass.message_limit()}};
}

/// Each step of pressure halves what is kept of a text; the last one leaves a sixteenth of that.
template <class Pass>
constexpr unsigned halvings_of(Pass const& pass) noexcept {
    return pass.pressure() + (pass.top() ? 4u : 0u);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
