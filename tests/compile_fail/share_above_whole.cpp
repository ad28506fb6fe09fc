// expect: condense: text_limit: a share must be above 0 and at most 100 % of the input (see text_limit)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/compress.hpp>

using namespace condense::literals;

constexpr condense::pipeline mix{condense::compress{.over = 101_pct}};
