// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/condense.hpp>

auto run(nlohmann::json& document) {
    return (*condense::messages_of(document) | condense::views::window(condense::messages{8})).size();
}
