// expect: condense: reduce: the budget must be given as .window, .output and .overhead, each in tokens such as
// 200'000_tokens (see budget) SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

using namespace condense::literals;

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::sliding_window{}, {.max_tokens = 200'000_tokens}));
}
