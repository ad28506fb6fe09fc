// SPDX-License-Identifier: BSL-1.0
#include <string>
#include <vector>

#include <range/v3/view/transform.hpp>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

auto run(std::vector<std::string> const& texts) {
    std::vector<condense::chat_message> history;
    for (auto const& text : texts) history.push_back(condense::chat_message::user(text));
    return (history | condense::views::groups).size();
}
