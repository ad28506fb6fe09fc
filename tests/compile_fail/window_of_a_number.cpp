// expect: condense: views.window: the count must be in messages, such as 100_messages (see messages)
// SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/condense.hpp>

auto run(std::vector<condense::chat_message> const& history) { return (history | condense::views::window(100)).size(); }
