// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "pairs.hpp"

// Compares a pipeline with the same by hand: the results, allocations counted here, and instructions counted by
// overhead.py. PROGRAM MESSAGES due|idle

namespace overhead {

inline std::size_t allocations = 0;

inline void check(bool good, char const* what) {
    if (good) return;
    std::printf("DIFFERENT: %s\n", what);
    std::exit(1);
}

/// `make` gives the pair for so many messages.
template <class Make>
int compare(int count, char** arguments, Make const& make) {
    auto const messages = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 100;
    bool const due = count < 3 || std::strcmp(arguments[2], "idle") != 0;
    auto const goes_on = make(messages);
    auto const one_shot = make(messages);
    auto const history = conversation(messages, goes_on.with_rows);
    auto const limits = limits_of(goes_on, history, due);

    condense::session session{std::vector<condense::chat_message>{}, goes_on.mix, limits};
    auto kept = goes_on.make_kept(limits);
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
    check(goes_on.same(), "what was kept elsewhere");
    if constexpr (requires { goes_on.make_live(limits); }) {
        auto live = goes_on.make_live(limits);
        for (auto const& m : history) live.push(m);
        check(size_by_library == kept_live(live), "number of messages kept, with a list");
        place = 0;
        for (auto const& m : session.request()) check(m == live.at(place++), "a message kept, with a list");
        check(live.undo() == !live.reports.empty() && live.prepare() == size_by_library, "a run that is taken back");
    }

    auto of_library = history;
    auto of_hand = history;
    auto const d = allocations;
    bool const library_did = once_by_library(of_library, one_shot.mix, limits);
    auto const e = allocations;
    bool const hand_did = once_by_hand(of_hand, one_shot.once, limits);
    auto const f = allocations;
    check(library_did == hand_did && (library_did || !due), "whether there was something to do");
    check(of_library == of_hand, "a message");
    check(one_shot.same(), "what was kept elsewhere by one call");
    std::printf("%lu messages, %s, %zu left; allocations: kept %zu and %zu by hand, once %zu and %zu by hand\n",
                messages, due ? "due" : "idle", of_library.size(), b - a, c - b, e - d, f - e);
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
