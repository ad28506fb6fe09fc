// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>

struct my_layer {
    static constexpr auto effects = condense::drops;
    void reduce(auto&, auto&) const {}
};

auto const mix = condense::pipeline{my_layer{}};
