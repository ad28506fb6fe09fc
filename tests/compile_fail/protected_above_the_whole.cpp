// expect: condense: at_most: a share must be at most 100 % of the window (see protection)
// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/protect.hpp>

using namespace condense::literals;

constexpr auto spared = condense::at_most(101_pct, condense::last(8_messages));
