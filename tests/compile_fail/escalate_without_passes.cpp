// expect: condense: escalate: there must be 1 to 64 passes (see escalate)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

constexpr condense::pipeline mix{condense::sliding_window{}, condense::escalate{.passes = 0}};
