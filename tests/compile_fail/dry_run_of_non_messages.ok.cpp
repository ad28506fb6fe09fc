// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

auto run(std::vector<condense::chat_message> const& history) {
    return condense::pipeline{condense::sliding_window{}}.draft(history, {.window = {1'000}}).used();
}
