// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

using namespace condense::literals;
using condense::used;

constexpr auto line = used > 10_tokens;
constexpr condense::pipeline mix{condense::sliding_window{}, condense::escalate{.when = line}};
