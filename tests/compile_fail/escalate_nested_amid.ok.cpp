// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

condense::pipeline const inner{condense::sliding_window{}, condense::escalate{}};
condense::pipeline const mix{condense::sliding_window{}, inner};
