// SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

std::vector<condense::chat_message> load();

auto run() {
    auto const history = load();
    return (history | condense::views::groups).size();
}
