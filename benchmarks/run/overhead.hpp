// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

// What the comparisons of a pipeline with a function written by hand share: a conversation, allocations counted, and
// the four functions that overhead.py counts the instructions of. PROGRAM MESSAGES due|idle

namespace overhead {

inline std::size_t allocations = 0;

inline std::string words(std::size_t size, std::size_t seed) {
    static char const* const all[] = {"reading", "the", "file", "again", "error", "line", "value", "of", "test", "passed", "in", "module"};
    std::string out;
    while (out.size() < size) {
        seed = (seed * 31 + 7) & 0xFFFF;
        out.append(all[seed % 12]).push_back(seed % 9 == 0 ? '\n' : ' ');
    }
    out.resize(size);
    return out;
}

/// Turns of an agent: a question, two calls with their results, an answer; every eighth result is large.
inline std::vector<condense::chat_message> conversation(std::size_t messages) {
    using condense::chat_message;
    std::vector<chat_message> all{chat_message::system(words(2'000, 1))};
    for (std::size_t index = 1; all.size() < messages; ++index) {
        switch (index % 6) {
            case 1: all.push_back(chat_message::user(words(160, index))); break;
            case 2: case 4: all.push_back(chat_message::call("call_" + std::to_string(index), "read_file", "{\"path\": \"" + words(30, index) + "\"}")); break;
            case 3: case 5:
                all.push_back(chat_message::result("call_" + std::to_string(index - 1), words(index % 8 == 5 ? 24'000 : 400 + index * 37 % 1'600, index)));
                break;
            default: all.push_back(chat_message::assistant(words(300, index)));
        }
    }
    return all;
}

inline std::uint64_t tokens_of(std::vector<condense::chat_message> const& all) {
    condense::outline facts;
    condense::cost sum;
    for (auto const& m : all) {
        facts.append(m, condense::default_estimator<>{});
        auto const& found = facts.message_at(facts.size() - 1);
        sum += found.frame;
        for (auto at = found.first_part; at < facts.part_count(); ++at) sum += facts.part_at(at).cost;
    }
    return sum.tokens().count;
}

// Names that no compiler changes; each is entered once.
template <class Session>
[[gnu::noinline]] std::size_t kept_by_library(Session& session) {
    static_cast<void>(session.prepare());
    return session.request().size();
}
template <class Kept>
[[gnu::noinline]] std::size_t kept_by_hand(Kept& kept) {
    return kept.prepare();
}
template <class Mix>
[[gnu::noinline]] bool once_by_library(std::vector<condense::chat_message>& history, Mix const& mix, condense::budget limits) {
    return condense::reduce(history, mix, limits).changed();
}
template <class Function>
[[gnu::noinline]] bool once_by_hand(std::vector<condense::chat_message>& history, Function const& function, condense::budget limits) {
    return function(history, limits);
}

inline void check(bool good, char const* what) {
    if (good) return;
    std::printf("DIFFERENT: %s\n", what);
    std::exit(1);
}

/// Compares a pipeline with what does the same by hand: `kept` is made of a budget, `once` is called with a history
/// and a budget. Where a layer is to be due the input is `share` per cent of the conversation.
template <class Mix, class MakeKept, class Once>
int compare(int count, char** arguments, Mix const& mix, MakeKept const& make_kept, Once const& once, std::uint64_t share = 100) {
    auto const messages = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 100;
    bool const due = count < 3 || std::strcmp(arguments[2], "idle") != 0;
    auto const history = conversation(messages);
    auto const counted = tokens_of(history);
    condense::budget const limits{.window = {due ? counted * share / 100 : 2 * counted}};

    condense::session session{std::vector<condense::chat_message>{}, mix, limits};
    auto kept = make_kept(limits);
    for (auto const& m : history) {
        session.push(m);
        kept.push(m);
    }
    static_cast<void>(session.request().size());  // as after the turn before
    auto const a = allocations;
    auto const size_by_library = kept_by_library(session);
    auto const b = allocations;
    auto const size_by_hand = kept_by_hand(kept);
    auto const c = allocations;
    check(size_by_library == size_by_hand, "number of messages kept");
    std::size_t place = 0;
    for (auto const& m : session.request()) check(m == kept.at(place++), "a message kept");

    auto of_library = history;
    auto of_hand = history;
    auto const d = allocations;
    bool const library_did = once_by_library(of_library, mix, limits);
    auto const e = allocations;
    bool const hand_did = once_by_hand(of_hand, once, limits);
    auto const f = allocations;
    check(library_did == hand_did && (library_did || !due), "whether there was something to do");
    check(of_library == of_hand, "a message");
    std::printf("%lu messages, %s, %zu left; allocations: kept %zu and %zu by hand, once %zu and %zu by hand\n", messages,
                due ? "due" : "idle", of_library.size(), b - a, c - b, e - d, f - e);
    return 0;
}

}  // namespace overhead

// NOLINTBEGIN: these replace the ones of the standard library, so that allocations can be counted
void* operator new(std::size_t size) {
    ++overhead::allocations;
    if (void* const found = std::malloc(size == 0 ? 1 : size)) return found;
    throw std::bad_alloc{};
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // it sees through these two
#endif
void operator delete(void* held) noexcept { std::free(held); }
void operator delete(void* held, std::size_t) noexcept { std::free(held); }
// NOLINTEND
