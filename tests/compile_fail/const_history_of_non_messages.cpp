// expect: condense: reduce: the elements of the history must be messages: give message_traits role_of and each_part
// (see message) SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

auto run(std::vector<int> const& history) {
    return condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}}).used();
}
