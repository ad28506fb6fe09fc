// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <initializer_list>

#include "laws/judge.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/sanitized.hpp"

// Runs a pipeline over a history of any message type and judges what comes out in its form as
// chat_messages. A failure prints its seed; CONDENSE_SEED=<seed> runs that one, CONDENSE_ROUNDS=<n> as
// many as one likes.

namespace laws {

inline std::uint64_t from_environment(char const* name, std::uint64_t otherwise) {
    auto const* const given = std::getenv(name);
    return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

/// Conversations of the library's own type; of every other a quarter as many.
inline std::uint64_t rounds_asked() {
    std::uint64_t const usual = rounds(20'000) / (sanitized ? 2 : 1);
    return from_environment("CONDENSE_ROUNDS", std::getenv("CONDENSE_SEED") != nullptr ? 1 : usual);
}
inline bool one_asked() { return std::getenv("CONDENSE_SEED") != nullptr && rounds_asked() == 1; }

/// `original` is what History can hold: see forms::projected. `result` takes what is left of it.
template <class History, class Mix, class Estimator>
broken run_one(std::vector<chat_message> const& original, Mix const& mix, condense::budget limits,
               Estimator const& count, bool marks, tally& tallied, std::vector<chat_message>* result = nullptr) {
    std::string story;
    auto const make = [&] { return forms::all_from_chat<History>(original); };
    auto found = judge(make, mix, limits, count, marks, tallied, {result, one_asked() ? &story : nullptr});
    if (one_asked()) UNSCOPED_INFO(story);
    return found;
}

/// A history that cannot be changed comes to the same, walked to its end, and is as it was. Frozen is
/// a const one, or made of one.
template <class History, class Frozen, class Mix, class Estimator>
broken walk_one(std::vector<chat_message> const& original, std::vector<chat_message> const& reduced, Mix const& mix,
                condense::budget limits, Estimator const& count, bool marks) {
    condense::run_options<> options;
    options.marks = marks;
    auto history = forms::all_from_chat<History>(original);
    std::vector<chat_message> sent;
    auto const walk = [&](Frozen& frozen) {
        auto const walked = condense::reduce(frozen, mix, limits, count, options);
        walked.each([&](auto const& m) { sent.push_back(forms::to_chat(m)); });
    };
    if constexpr (std::is_const_v<Frozen>) walk(history);
    else {
        Frozen frozen{history};
        walk(frozen);
    }
    broken found;
    if (sent != reduced) found.insert("a walk meets other messages than the history would hold");
    if (forms::all_to_chat(history) != original) found.insert("a walk changed the history");
    return found;
}

/// `run(seed)` returns the laws that are broken.
template <class Run>
void run_seeds(std::uint64_t rounds, Run&& run) {
    auto const first = from_environment("CONDENSE_SEED", 1);
    std::size_t failures = 0;
    for (auto seed = first; seed < first + rounds && failures < 20; ++seed) {
        auto const found = run(seed);
        if (found.empty()) continue;
        ++failures;
        std::string all;
        for (auto const& one : found) all += one + "; ";
        CHECK("CONDENSE_SEED=" + std::to_string(seed) + ": " + all == std::string{});
    }
}

template <class Run>
void run_seeds(std::uint64_t rounds, tally& tallied, Run&& run) {
    run_seeds(rounds, [&](std::uint64_t seed) { return run(seed, tallied); });
}

/// Each has happened at least so often.
inline void check_least(counts counted, std::initializer_list<std::pair<char const*, std::uint64_t>> least) {
    INFO(counted.text());
    for (auto const& [what, often] : least) {
        CAPTURE(what);
        CHECK(counted[what] >= often);
    }
}

}  // namespace laws
