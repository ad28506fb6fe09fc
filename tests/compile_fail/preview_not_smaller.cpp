// expect: condense: offload: the preview must be smaller than `over` (see offload)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>
#include <condense/layer/offload.hpp>

struct my_store {
    condense::reference name(std::string_view) const { return {}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
};
static_assert(condense::artifact_store<my_store>);

using namespace condense::literals;

constexpr condense::pipeline mix{condense::offload{
    .over = 10'000_chars, .preview = condense::head_tail{5'000_chars, 5'000_chars}, .into = my_store{}}};
