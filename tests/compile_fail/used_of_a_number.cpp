// expect: condense: used: a limit must have a unit, such as 90_pct (not 0.9), 20'000_tokens, 100_messages or 10_turns
// (see trigger) SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

using namespace condense::literals;

auto const window = condense::sliding_window{.when = condense::used >= 0.9};
