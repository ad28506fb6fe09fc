// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

using namespace condense::literals;

auto const due = condense::used > 100_messages && condense::used > 10_turns;
