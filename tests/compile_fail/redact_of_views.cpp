// expect: condense: run_options: redact must take a std::string&, while const, and return a std::size_t (see redactor)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct names {
    std::string operator()(std::string_view text) const { return text == "Ada" ? "A." : std::string{text}; }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}},
                                       condense::default_estimator<>{}, condense::run_options{.redact = names{}}));
}
