// expect: condense: fallback: what is given must not run other layers again: put escalate behind it (see escalate)
// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

auto const mix = condense::fallback{condense::sliding_window{}, condense::escalate{}};
