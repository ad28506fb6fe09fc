// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

using namespace condense::literals;

auto const window = condense::sliding_window{.when = condense::headroom < 20'000_tokens};
