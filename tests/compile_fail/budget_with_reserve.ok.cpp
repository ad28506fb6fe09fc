// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

using namespace condense::literals;

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(
        condense::reduce(history, condense::sliding_window{}, {.window = 200'000_tokens, .output = 20'000_tokens}));
}
