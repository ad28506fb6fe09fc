// SPDX-License-Identifier: BSL-1.0

// How does a session call my model, and what does it do when the provider says that the request is too long?

#include <cstddef>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

using condense::chat_message;

/// Stands for a client: a window of 6,000 tokens that nobody told, and a tokenizer of its own.
struct provider {
    std::size_t* refused;

    condense::reply<chat_message> operator()(auto const& request) const {
        std::size_t bytes = 0;
        for (chat_message const& m : request)
            for (auto const& part : m.parts) bytes += part.text.size();
        auto const counted = bytes / 3;
        if (counted > 6'000) {
            ++*refused;
            return {.error = {
                        400, "This model's maximum context length is 6000 tokens. However, your messages resulted in " +
                                 std::to_string(counted) + " tokens."}};
        }
        return {.message = chat_message::assistant("I have read " + std::to_string(bytes) + " bytes."),
                .usage = {.input = {counted}}};
    }
};

int main() {
    using namespace condense::literals;
    using condense::used;

    std::size_t refused = 0;
    provider const model{&refused};
    condense::pipeline const mix{condense::summarize{.when = used >= 80_pct},
                                 condense::sliding_window{.when = used >= 90_pct}};
    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 16'000_tokens}};

    for (int turn = 0; turn < 60; ++turn) {
        session.push(chat_message::user("Go on, step " + std::to_string(turn) + ": " + std::string(900, 'x')));
        auto const result = session.call(model);  // reduces where that is due, and once more on an overflow
        check(static_cast<bool>(result));
        check(result.answer == &session.history().back());
    }
    check(refused == 1 && session.limits().window == 6'000_tokens);  // learnt from the refusal
    check(session.used().fits() && session.turns_left().has_value());
    check(session.status().find(" of 6,000 tokens") != std::string::npos);

    // A summary can be made while the conversation goes on, by any thread.
    auto const job = session.begin_summary();
    session.push(chat_message::user("Meanwhile."));
    if (job) check(session.commit(job, "They went on, step by step.") == condense::commit_outcome::committed);
}
