// expect: condense: views: a document must be given as the array of its messages (see messages_of)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/condense.hpp>

auto run(nlohmann::json const& document) { return (document | condense::views::window(condense::messages{8})).size(); }
