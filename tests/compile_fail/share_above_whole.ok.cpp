// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/compress.hpp>

using namespace condense::literals;

constexpr condense::pipeline mix{condense::compress{.over = 100_pct}};
