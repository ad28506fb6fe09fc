// SPDX-License-Identifier: BSL-1.0
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

auto run(std::vector<condense::chat_message> const& history) {
    auto const count = [](std::string_view text) { return condense::cost::of({text.size()}); };
    return (history | condense::views::newest_within(condense::tokens{9}, count)).size();
}
