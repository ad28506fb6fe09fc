// expect: condense: pipeline: a layer must have schedule(tokens) where it declares reruns, and only there (see layer)
// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

struct presses {
    static constexpr auto effects = condense::no_effects;
    condense::pressure_schedule schedule(condense::tokens) const { return {}; }
};

auto const mix = condense::pipeline{condense::sliding_window{}, presses{}};
