// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/replay/any_mix.hpp>

// The mixes of mixes.hpp, compiled in a unit of their own: nothing else is compiled anew for a mix.

namespace replay {

/// In the order of mixes.hpp.
std::vector<condense::any_mix<nlohmann::ordered_json>> const& mix_list();

}  // namespace replay
