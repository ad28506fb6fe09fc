// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/protect.hpp>

using namespace condense::literals;

constexpr auto spared = condense::at_most(100_pct, condense::last(8_messages));
