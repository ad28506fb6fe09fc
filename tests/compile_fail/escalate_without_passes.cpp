// expect: condense: escalate: there must be at least one pass (see escalate)
// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

constexpr condense::pipeline mix{condense::sliding_window{}, condense::escalate{.passes = 0}};
