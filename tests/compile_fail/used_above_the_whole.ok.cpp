// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/trigger.hpp>

using namespace condense::literals;
using condense::used;

constexpr auto line = used >= 100_pct;
