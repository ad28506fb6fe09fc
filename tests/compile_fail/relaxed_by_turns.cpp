// expect: condense: relaxed: the trigger must be used >= or used > with tokens or a share (see trigger)
// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/trigger.hpp>

using namespace condense::literals;
using condense::used;

constexpr auto when = condense::relaxed(used >= 20_turns, 10_pct);
