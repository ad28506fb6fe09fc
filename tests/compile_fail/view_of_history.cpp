// expect: condense: views.of: what is given must be a reduction, as dry_run, draft, or reduce of a const history makes
// it (see reduction) SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/condense.hpp>

auto run(std::vector<condense::chat_message> const& history) { return condense::views::of(history).size(); }
