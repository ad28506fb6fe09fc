// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

struct presses {
    static constexpr auto effects = condense::reruns;
    condense::pressure_schedule schedule(condense::tokens) const { return {}; }
};

auto const mix = condense::pipeline{condense::sliding_window{}, presses{}};
