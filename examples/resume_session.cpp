// SPDX-License-Identifier: BSL-1.0

// How do I stop a session and go on with it in another process?

#include <cstdio>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/state_file.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::chat_message;
using condense::used;

int main() {
    condense::pipeline const mix{condense::sliding_window{.when = used >= 90_pct}};
    condense::budget const room{.window = 4'000_tokens};

    condense::session first{std::vector<chat_message>{}, mix, room};
    for (int turn = 0; turn < 100; ++turn) {
        first.push(chat_message::user("Step " + std::to_string(turn) + ": " + std::string(400, 'x')));
        first.push(chat_message::assistant("Done."));
        check(first.prepare().fits());
    }
    check(!condense::save_file(first, "agent.state"));

    // In the next process: an empty container, the same pipeline, estimator and options.
    condense::session next{std::vector<chat_message>{}, mix, room};
    if (auto const problem = condense::restore_file(next, "agent.state")) {
        std::fprintf(stderr, "%s\n", std::string{problem.reason}.c_str());
        return 1;
    }
    check(next.history() == first.history());
    check(next.used() == first.used() && next.undo() && first.undo());  // also what can be undone
    check(static_cast<bool>(condense::restore_file(next, "no.such.state")));  // an error leaves the session as it is
    check(next.history() == first.history());
}
