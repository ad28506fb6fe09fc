// expect: condense: run_options: before_drop must be callable, while const, with the messages that leave
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct remember {
    void operator()(char const*) const {}
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}},
                                       condense::default_estimator<>{},
                                       condense::run_options{.before_drop = remember{}}));
}
