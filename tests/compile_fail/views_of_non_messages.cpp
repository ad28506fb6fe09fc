// expect: condense: views: the elements of the history must be messages: give message_traits role_of and each_part (see
// message) SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/condense.hpp>

auto run(std::vector<int> const& history) {
    return (history | condense::views::newest_within(condense::tokens{100})).size();
}
