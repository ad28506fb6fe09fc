// expect: condense: run_options: pins must be a predicate on a condense::sequence, a message, or both (see run_options)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct by_name {
    bool operator()(char const*) const { return true; }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}},
                                       condense::default_estimator<>{}, condense::run_options{.pins = by_name{}}));
}
