// expect: condense: pipeline: a layer must declare static constexpr auto effects (see effect)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>

struct my_layer {
    static constexpr auto effects = 4;
    void reduce(auto&, auto&) const {}
};

auto const mix = condense::pipeline{my_layer{}};
