// expect: condense: views.newest_within: the estimator must take a text and give a cost (see token_estimator)
// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

auto run(std::vector<condense::chat_message> const& history) {
    auto const count = [](std::string_view text) -> std::size_t { return text.size(); };
    return (history | condense::views::newest_within(condense::tokens{9}, count)).size();
}
