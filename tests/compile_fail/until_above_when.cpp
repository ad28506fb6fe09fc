// expect: condense: until: the target must be below the trigger in `when` (see trigger)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

using namespace condense::literals;
using condense::used;

constexpr condense::pipeline mix{condense::sliding_window{.when = used >= 80_pct, .until = used <= 85_pct}};
