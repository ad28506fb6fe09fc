// SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

auto run(std::vector<condense::chat_message> const& lines) { return (lines | condense::views::groups).size(); }
