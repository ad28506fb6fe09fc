// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

void run(condense::chat_message& first, std::vector<condense::chat_message>& history) {
    static_cast<void>(first);
    static_cast<void>(condense::reduce(history, condense::sliding_window{}, {.window = {1'000}}));
    static_cast<void>(history);
}
