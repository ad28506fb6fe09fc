// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct by_name {
    bool operator()(condense::chat_message const& m) const { return m.name == "kept"; }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}},
                                       condense::default_estimator<>{}, condense::run_options{.pins = by_name{}}));
}
