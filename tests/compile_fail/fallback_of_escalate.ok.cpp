// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

auto const mix = condense::pipeline{condense::fallback{condense::sliding_window{}, condense::sliding_window{}},
                                    condense::escalate{}};
