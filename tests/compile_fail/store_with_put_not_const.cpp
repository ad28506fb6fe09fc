// expect: condense: store: it must have a const put(reference const&, std::string_view content) that returns a
// store_error (see artifact_store) SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

struct my_store {
    condense::reference name(std::string_view) const { return {}; }
    condense::store_error put(condense::reference const&, std::string_view) { return {}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
};

auto const layer = condense::offload{.over = condense::chars{10'000}, .into = my_store{}};
