// expect: condense: compact_log: at_most must be given (see text_limit)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/compress.hpp>
#include <condense/shorten/compact_log.hpp>

using namespace condense::literals;

constexpr condense::pipeline mix{condense::compress{.with = condense::compact_log{.at_most = condense::text_limit{}}}};
