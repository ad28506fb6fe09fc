// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct names {
    std::size_t operator()(std::string& text) const { return text == "Ada" ? (text = "A.", 1u) : 0u; }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}},
                                       condense::default_estimator<>{}, condense::run_options{.redact = names{}}));
}
