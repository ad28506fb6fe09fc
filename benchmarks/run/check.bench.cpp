// SPDX-License-Identifier: BSL-1.0

// Claim: a check below all limits costs at most 60 instructions a layer, at 10 messages as at 100,000.
// valgrind --tool=callgrind --toggle-collect='check_once*' ./bench_run_check 100000

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

using condense::chat_message;
using namespace condense::literals;
using condense::used;

template <class Session>
[[gnu::noinline]] bool check_once(Session const& session) {
    return session.due();
}

int main(int count, char** arguments) {
    auto const messages = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 10;
    auto const checks = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1'000;
    condense::memory_store const store;
    condense::pipeline const mix{condense::offload{.into = store}, condense::compress{}, condense::summarize{},
                                 condense::sliding_window{.when = used > 10'000'000_messages}, condense::escalate{}};
    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 1'000'000'000_tokens}};
    for (unsigned long index = 0; index < messages; ++index)
        session.push(index % 2 == 0 ? chat_message::user("question") : chat_message::assistant("answer"));
    bool due = false;
    for (unsigned long check = 0; check < checks; ++check) {
        asm volatile("" : : "g"(&session) : "memory");  // no two checks become one
        due = check_once(session) || due;
    }
    std::printf("%lu messages, %lu checks, %s\n", messages, checks, due ? "due" : "not due");
    return due ? 1 : 0;
}
