// expect: condense: salient_lines: at_most must be given (see text_limit)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/compress.hpp>
#include <condense/shorten/salient_lines.hpp>

using namespace condense::literals;

constexpr condense::pipeline mix{
    condense::compress{.with = condense::salient_lines{.at_most = condense::text_limit{}}}};
