// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/layer/sliding_window.hpp>

std::size_t run(std::vector<condense::chat_message> const& history) {
    return (history | condense::views::window(condense::messages{3})).size();
}
