// expect: condense: token_estimator: it must have a const operator()(std::string_view) that returns a condense::cost
// (see token_estimator) SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct my_estimator {
    condense::cost operator()(std::string_view text) { return {text.size()}; }
};

void run(std::vector<condense::chat_message>& history) {
    condense::pipeline const mix{condense::sliding_window{}};
    static_cast<void>(condense::reduce(history, mix, {.window = {1'000}}, my_estimator{}));
}
