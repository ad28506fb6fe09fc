// expect: condense: reduce: the history must be a variable, not a temporary (see committable)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

std::vector<condense::chat_message> all();

void run() {
    auto history = all();
    static_cast<void>(condense::reduce(all(), condense::sliding_window{}, {.window = {1'000}}));
}
