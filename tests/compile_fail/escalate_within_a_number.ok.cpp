// SPDX-License-Identifier: BSL-1.0
#include <chrono>

#include <condense/core/pipeline.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

using namespace std::chrono_literals;

constexpr condense::escalate layer{.within = 30s};
