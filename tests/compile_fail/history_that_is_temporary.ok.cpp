// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

std::vector<condense::chat_message> all();

void run() {
    auto history = all();
    static_cast<void>(condense::reduce(history, condense::sliding_window{}, {.window = {1'000}}));
}
