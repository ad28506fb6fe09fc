// expect: condense: reduce: the history must be a range of messages, such as std::vector (see committable)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

void run(condense::chat_message& first, std::vector<condense::chat_message>& history) {
    static_cast<void>(first);
    static_cast<void>(condense::reduce(first, condense::sliding_window{}, {.window = {1'000}}));
    static_cast<void>(history);
}
