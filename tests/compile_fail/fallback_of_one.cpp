// expect: condense: fallback: there must be a layer to fall back to (see fallback)
// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

auto const mix = condense::fallback{condense::sliding_window{}};
