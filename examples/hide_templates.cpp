// SPDX-License-Identifier: BSL-1.0

// How do I keep the library's templates out of my compile times?
//
// This file and every other that reduces histories include a header of their own program, and no header of the library.
// The mix is in hide_templates/history.cpp, the one translation unit that instantiates it.

#include "hide_templates/history.hpp"

#include <cstdio>
#include <string>

#include "check.hpp"

int main() {
    chat::history messages;
    for (int turn = 0; turn < 40; ++turn) {
        messages.push_back({chat::speaker::user, "What does log " + std::to_string(turn) + " say?"});
        messages.push_back({chat::speaker::assistant, "I read it.", "read_log", "call-" + std::to_string(turn)});
        messages.push_back({chat::speaker::tool, std::string(2'000, 'x'), "read_log", "call-" + std::to_string(turn)});
    }
    auto const before = messages.size();
    auto const outcome = chat::fit(messages, 4'000);
    std::printf("%zu of %zu messages, about %llu tokens\n", messages.size(), before,
                static_cast<unsigned long long>(outcome.tokens));
    check(outcome.fits && outcome.tokens <= 4'000);
    check(messages.size() > 1 && messages.size() <= before);
    check(messages.back().call == "call-39");
}
