// expect: condense: run_options: before_drop must return nothing, or a condense::failed or a condense::store_error
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct remember {
    bool operator()(condense::leaving_messages<condense::chat_message> const&) const { return true; }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}},
                                       condense::default_estimator<>{},
                                       condense::run_options{.before_drop = remember{}}));
}
