// SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

/// Can only lose messages.
struct my_history {
    std::vector<condense::chat_message> held;
    auto begin() { return held.begin(); }
    auto end() { return held.end(); }
    auto erase(auto from, auto to) { return held.erase(from, to); }
    void push_back(condense::chat_message&& m) { held.push_back(std::move(m)); }
};

void run(my_history& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::repair{}}, {.window = {1'000}}));
}
