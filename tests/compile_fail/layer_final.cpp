// expect: condense: pipeline: a layer must not be final, its hooks are found by name (see layer)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>

struct my_layer final {
    static constexpr auto effects = condense::drops;
    void reduce(auto&, auto&) const {}
};

auto const mix = condense::pipeline{my_layer{}};
