// expect: condense: pipeline: what is given must be a layer, a class with effects and a hook (see layer)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>

struct my_layer {
    static constexpr auto effects = condense::drops;
    void reduce(auto&, auto&) const {}
};

auto const mix = condense::pipeline{my_layer{}, 90};
