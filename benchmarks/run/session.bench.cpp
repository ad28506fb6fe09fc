// SPDX-License-Identifier: BSL-1.0

// Claim: a push, and a prepare below all thresholds, cost the same at 150 messages as at 1,000,000.
// valgrind --tool=callgrind --collect-atstart=no --toggle-collect='push_once*' ./bench_run_session 150
// valgrind --tool=callgrind --collect-atstart=no --toggle-collect='prepare_once*' ./bench_run_session 150
// The instructions collected are of 64 calls: 2,865 a push and 984 a prepare with five layers (GCC 12, -O2), to the
// instruction the same at 150, 10,000 and 1,000,000. No vector grows in them: take sizes off powers of two.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

using condense::chat_message;
using namespace condense::literals;
using condense::used;

template <class Session>
[[gnu::noinline]] bool push_once(Session& session, chat_message m) {
    return session.push(std::move(m));
}
template <class Session>
[[gnu::noinline]] bool prepare_once(Session& session) {
    return session.prepare().changed();
}

int main(int count, char** arguments) {
    auto const messages = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 150;
    condense::memory_store const store;
    condense::pipeline const mix{condense::offload{.into = store}, condense::compress{}, condense::summarize{},
                                 condense::sliding_window{.when = used > 10'000'000_messages}, condense::escalate{}};
    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 1'000'000'000_tokens}};
    auto const turn = [](unsigned long index) {
        return index % 2 == 0 ? chat_message::user("question") : chat_message::assistant("answer");
    };
    for (unsigned long index = 0; index < messages; ++index) session.push(turn(index));
    bool due = false;
    for (unsigned long index = messages; index < messages + 64; ++index) {
        due = push_once(session, turn(index)) || due;
        due = prepare_once(session) || due;
    }
    std::printf("%lu messages, %s\n", messages, due ? "due" : "not due");
    return due ? 1 : 0;
}
