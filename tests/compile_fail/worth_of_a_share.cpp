// expect: condense: pipeline: a layer's worth must say whether a batch pays, such as at_least(10_pct) (see gain)
// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

using namespace condense::literals;

condense::pipeline const mix{condense::compress{.worth = 10_pct}};
