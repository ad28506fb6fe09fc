// SPDX-License-Identifier: BSL-1.0
#include "mix_list.hpp"

#include <tuple>

#include "mixes.hpp"

namespace replay {

std::vector<condense::any_mix<nlohmann::ordered_json>> const& mix_list() {
    static auto const all = std::apply(
        [](auto const&... mix) { return std::vector<condense::any_mix<nlohmann::ordered_json>>{mix...}; }, mixes);
    return all;
}

}  // namespace replay
