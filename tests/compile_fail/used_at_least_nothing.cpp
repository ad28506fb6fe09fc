// expect: condense: used: a limit that is always reached must be written as always (see trigger)
// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/trigger.hpp>

using namespace condense::literals;
using condense::used;

constexpr auto line = used >= 0_messages;
