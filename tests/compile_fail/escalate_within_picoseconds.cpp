// expect: condense: `within` must be a duration of nanoseconds or longer (see time_limit)
// SPDX-License-Identifier: BSL-1.0
#include <chrono>
#include <ratio>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

using span = std::chrono::duration<int, std::pico>;

void run(std::vector<condense::chat_message>& history) {
    condense::pipeline const mix{condense::sliding_window{}, condense::escalate{.within = span{30}}};
    static_cast<void>(condense::reduce(history, mix, {.window = {1'000}}));
}
