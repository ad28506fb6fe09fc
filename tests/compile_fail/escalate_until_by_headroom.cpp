// expect: condense: escalate: `until` must compare used with one limit (see escalate)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

using namespace condense::literals;
using condense::used;

constexpr auto target = condense::headroom > 10_pct;
constexpr condense::pipeline mix{condense::sliding_window{}, condense::escalate{.until = target}};
