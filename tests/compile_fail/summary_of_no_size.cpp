// expect: condense: summarize: the size of the summary must be above 0 (see summarize)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/summarize.hpp>

using namespace condense::literals;

constexpr condense::pipeline mix{condense::summarize{.size = 0_tokens}};
