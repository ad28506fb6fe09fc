// SPDX-License-Identifier: BSL-1.0

// I call the model myself: how do I pass usage and errors, and what if its template wants user and assistant to
// alternate?

#include <cstddef>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::chat_message;
using condense::role;
using condense::used;

/// In place of your client: what it gives back.
struct response {
    int status = 200;
    std::string text = {};
    std::size_t input_tokens = 0;
    std::size_t cached_tokens = 0;  ///< part of `input_tokens`
    std::size_t output_tokens = 0;
};

static response send(auto const& messages) {
    std::size_t bytes = 0;
    for (chat_message const& m : messages)
        for (auto const& part : m.parts) bytes += part.text.size();
    if (bytes > 24'000) return {.status = 400, .text = "This model's maximum context length is 6000 tokens."};
    return {.text = "Done.", .input_tokens = bytes / 4, .output_tokens = 2};
}

int main() {
    condense::pipeline const mix{condense::summarize{.when = used >= 80_pct},
                                 condense::sliding_window{.when = used >= 90_pct}};
    condense::session session{std::vector<chat_message>{}, mix,
                              condense::budget{.window = 16'000_tokens, .output = 1'000_tokens},
                              condense::default_estimator<>{}, condense::run_options{.alternate = true}};

    int overflows = 0;
    for (int turn = 0; turn < 60; ++turn) {
        session.push(chat_message::user("Go on, step " + std::to_string(turn) + ": " + std::string(900, 'x')));

        check(session.prepare().fits());  // reduces where that is due
        auto answer = send(session.request());
        if (answer.status != 200 && session.recover({answer.status, answer.text}) == condense::recover_outcome::retry) {
            ++overflows;
            answer = send(session.request());  // strictly smaller now
        }
        if (answer.status != 200) return 1;  // any other error is yours
        session.observe(condense::provider_usage::with_cached_in_input(  // of OpenAI or Gemini
            {answer.input_tokens}, {answer.output_tokens}, {answer.cached_tokens}));
        session.push(chat_message::assistant(answer.text));
    }
    check(overflows == 1 && session.limits().window == 6'000_tokens);  // learnt from the refusal

    auto const sent = session.request();
    for (std::size_t at = 1; at < sent.size(); ++at) check(sent[at].role != sent[at - 1].role);

    // The same for a history that `reduce` has changed.
    std::vector<chat_message> history{chat_message::user("The task."), chat_message::user("A second thought.")};
    static_cast<void>(condense::reduce(history, mix, {.window = 16'000_tokens}));
    std::vector<chat_message> joined;
    condense::each_alternating(history, [&](chat_message const& m) { joined.push_back(m); });
    check(history.size() == 2 && joined.size() == 1);
}
