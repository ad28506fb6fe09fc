// expect: condense: used: a share must be at most 100 % of the input (see trigger)
// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/trigger.hpp>

using namespace condense::literals;
using condense::used;

constexpr auto line = used >= 150_pct;
