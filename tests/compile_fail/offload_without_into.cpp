// expect: condense: offload: `into` must name a store, such as condense::memory_store{} (see artifact_store)
// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/offload.hpp>

struct my_store {
    condense::reference name(std::string_view) const { return {}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
};
static_assert(condense::artifact_store<my_store>);

auto const layer = condense::offload{.over = condense::chars{10'000}};
