// expect: condense: store: it must have a const get(reference const&) that returns a std::optional<std::string> (see
// artifact_store) SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

struct my_store {
    condense::reference name(std::string_view) const { return {}; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
    // no get
};

auto const layer = condense::offload{.over = condense::chars{10'000}, .into = my_store{}};
