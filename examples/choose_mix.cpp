// SPDX-License-Identifier: BSL-1.0

// How do I choose the layers at run time, and what happens when the model that summarises is down?

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/core/any_pipeline.hpp>

#include "check.hpp"

using condense::chat_message;

/// Any callable from a prompt to a text is a model.
struct model_client {
    std::string operator()(std::string_view) const { throw std::runtime_error{"503 Service Unavailable"}; }
};

condense::any_pipeline<chat_message> mix_named(std::string_view name) {
    using namespace condense::literals;
    using condense::used;
    if (name == "window") return condense::pipeline{condense::sliding_window{.when = used >= 90_pct}};
    return condense::pipeline{
        condense::fallback{condense::summarize{.when = used >= 80_pct, .with = model_client{}},
                           condense::summarize{.when = used >= 80_pct}},  // by rule, without a model
        condense::sliding_window{.when = used >= 90_pct}};
}

int main() {
    using namespace condense::literals;

    for (std::string_view const name : {"window", "summary"}) {
        std::vector<chat_message> history;
        for (int turn = 0; turn < 200; ++turn) {
            history.push_back(chat_message::user("What is " + std::to_string(turn) + " squared?"));
            history.push_back(chat_message::assistant("It is " + std::to_string(turn * turn) + "."));
        }
        auto const report = condense::reduce(history, mix_named(name), {.window = 2'000_tokens});
        check(report.fits() && report.changed());
        if (name == "summary") check(report.layers[0].failures == 1 && report.layers[1].groups_dropped > 0);
    }
}
