// expect: condense: views.newest_within: the limit must be in tokens, such as 20'000_tokens, or a budget (see tokens)
// SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/condense.hpp>

auto run(std::vector<condense::chat_message> const& history) {
    return (history | condense::views::newest_within(20'000)).size();
}
