// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/trigger.hpp>

using namespace condense::literals;
using condense::used;

constexpr auto when = condense::relaxed(used >= 20_pct, 10_pct);
