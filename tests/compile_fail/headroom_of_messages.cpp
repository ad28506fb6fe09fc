// expect: condense: headroom: a limit must be a share or tokens, such as 10_pct (not 0.1) or 20'000_tokens (see
// trigger) SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

using namespace condense::literals;

auto const window = condense::sliding_window{.when = condense::headroom < 100_messages};
