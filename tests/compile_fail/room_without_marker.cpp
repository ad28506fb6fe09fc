// expect: condense: at_most: the limit must leave room for a marker: 384 bytes, 384 characters, 5 lines (see head_tail)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/compress.hpp>

using namespace condense::literals;

constexpr condense::pipeline mix{condense::compress{.with = condense::head_tail{.at_most = 383_bytes}}};
