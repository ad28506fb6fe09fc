// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

auto const mix = condense::pipeline{condense::sliding_window{}, condense::escalate{}};
