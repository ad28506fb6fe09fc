// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

#include "store/journal_lines.hpp"
#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

// Writers that are killed at random moments lose nothing that was acknowledged, and leave nothing torn, in every
// durable back end. `open(path)` gives one that keeps its data at that path.

namespace store_tests {

/// Of up to seven times the size.
inline std::string numbered(std::uint64_t number, std::size_t size) {
    return std::to_string(number) + std::string(number % 7 * size, static_cast<char>('a' + number % 26));
}

/// How many processes a test kills: 16 in the default run, 501 in --full with g++, 25,001 in --long.
inline std::uint64_t kills() { return rounds(effort() < 20 ? 500 : 2'500); }

/// Runs write(path, next, say) in processes that are killed, and check(path, acknowledged) after each; write says 2n
/// before it writes what ends with number n, and 2n + 1 once that is acknowledged. `check` returns the next number.
/// Five writers go on in the same place one after another.
void kill_writers(auto write, auto check) {
    auto const writers = kills();
    std::optional<scratch::folder> root;
    std::vector<std::uint64_t> acknowledged;
    std::uint64_t next = 0;
    std::size_t acknowledgements = 0;
    std::size_t within = 0;
    for (std::uint64_t writer = 0; writer < writers; ++writer) {
        if (writer % 5 == 0) {
            root.emplace(scratch::memory());
            acknowledged.clear();
            next = 0;
        }
        auto const path = *root / "a";
        processes::child running{[&](auto const& say) { write(path, next, say); }};
        // Every fourth lives until it was acknowledged something, however slow the machine.
        auto const said =
            running.kill_after_microseconds(static_cast<unsigned>(writer * 137 % 5'000), writer % 4 == 3 ? 2 : 1);
        within += !said.empty() && said.back() % 2 == 0 ? 1u : 0u;
        for (auto const word : said)
            if (word % 2 == 1) acknowledged.push_back(word / 2);
        acknowledgements += said.size() / 2;
        next = check(path, acknowledged);
    }
    CAPTURE(writers, within, acknowledgements);
    CHECK(acknowledgements >= writers / 4);
    if (writers > 100) CHECK(within * 10 >= writers * 3);
}

/// Calls after(path) after each kill.
void artifact_store_outlives_killed_writers(auto open, auto after) {
    auto const write = [&](std::string const& path, std::uint64_t next, auto const& say) {
        auto const store = open(path);
        for (;; ++next) {
            auto const content = numbered(next, 2'000);
            say(2 * next);
            if (store.put(store.name(content), content)) ::_exit(1);
            say(2 * next + 1);
        }
    };
    kill_writers(write, [&](std::string const& path, std::vector<std::uint64_t> const& acknowledged) {
        auto const store = open(path);
        bool whole = true;
        std::set<condense::reference> names;
        CHECK_FALSE(store.each([&](condense::reference const& name, condense::bytes) {
            whole = whole && store.get(name).has_value();
            names.insert(name);
        }));
        for (auto const number : acknowledged)
            whole = whole && names.contains(condense::content_hash{}(numbered(number, 2'000), 0));
        REQUIRE(whole);
        after(path);
        return acknowledged.empty() ? 0 : acknowledged.back() + 1;
    });
}

void journal_outlives_killed_writers(auto open) {
    auto const write = [&](std::string const& path, std::uint64_t next, auto const& say) {
        auto const to = open(path);
        for (;; next += 3) {
            say(2 * (next + 2));
            for (auto const number : {next, next + 1, next + 2})
                if (!add(to, "c", number, numbered(number, 200)).empty()) ::_exit(1);
            if (to.flush("c")) ::_exit(1);
            say(2 * (next + 2) + 1);
        }
    };
    kill_writers(write, [&](std::string const& path, std::vector<std::uint64_t> const& acknowledged) {
        auto const seen = lines_of(open(path), "c");
        bool in_order = true;
        for (std::size_t place = 0; place < seen.size(); ++place)
            in_order = in_order && seen[place].first.number == place && seen[place].second == numbered(place, 200);
        REQUIRE(in_order);
        REQUIRE((acknowledged.empty() || seen.size() > acknowledged.back()));
        return static_cast<std::uint64_t>(seen.size());
    });
}

}  // namespace store_tests
