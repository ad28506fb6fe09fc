// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <set>

#include "store/kit.hpp"

// Writers that are killed at random moments lose nothing that was acknowledged, and leave nothing torn, in every
// durable back end. An object of `Place` is a new place for one, and open() gives a handle of it.

namespace store_tests {

/// Of up to seven times the size.
inline std::string numbered(std::uint64_t number, std::size_t size) {
    return std::to_string(number) + std::string(number % 7 * size, static_cast<char>('a' + number % 26));
}

/// How many processes a test kills: 16 in the default run, 501 in --full with g++, 25,001 in --long.
inline std::uint64_t kills() { return rounds(effort() < 20 ? 500 : 2'500); }

/// Runs write(place, next, say) in processes that are killed, and check(place, acknowledged) after each; write says 2n
/// before it writes what ends with number n, and 2n + 1 once that is acknowledged, and returns only where it failed.
/// `check` returns the next number. Five writers go on in the same place one after another.
template <class Place>
void kill_writers(auto write, auto check) {
    auto const writers = kills();
    std::optional<Place> place;
    std::vector<std::uint64_t> acknowledged;
    std::uint64_t next = 0;
    std::size_t acknowledgements = 0, within = 0;
    for (std::uint64_t writer = 0; writer < writers; ++writer) {
        if (writer % 5 == 0) {
            place.emplace();
            acknowledged.clear();
            next = 0;
        }
        processes::child running{[&](auto const& say) {
            write(*place, next, say);
            ::_exit(1);
        }};
        // Every fourth lives until it was acknowledged something, however slow the machine.
        auto const said =
            running.kill_after_microseconds(static_cast<unsigned>(writer * 137 % 5'000), writer % 4 == 3 ? 2 : 1);
        within += !said.empty() && said.back() % 2 == 0 ? 1u : 0u;
        for (auto const word : said)
            if (word % 2 == 1) acknowledged.push_back(word / 2);
        acknowledgements += said.size() / 2;
        next = check(*place, acknowledged);
    }
    CAPTURE(writers, within, acknowledgements);
    CHECK(acknowledgements >= writers / 4);
    if (writers > 100) CHECK(within * 10 >= writers * 3);
}

/// Puts one content after the other until a put fails, each with its source.
void put_numbered(auto const& store, std::uint64_t next, std::size_t size, auto const& say) {
    for (;; ++next) {
        auto const content = numbered(next, size);
        say(2 * next);
        if (store.put(store.name(content), content, {.conversation = std::to_string(next % 3)})) return;
        say(2 * next + 1);
    }
}

/// What was acknowledged is there, with its source, and whatever is there is whole.
void check_numbered(auto const& store, std::vector<std::uint64_t> const& acknowledged, std::size_t size) {
    bool whole = true;
    std::set<condense::reference> names;
    CHECK_FALSE(store.each([&](condense::reference const& name, condense::bytes) {
        whole = whole && store.get(name).has_value();
        names.insert(name);
    }));
    for (auto const number : acknowledged) {
        auto const name = condense::content_hash{}(numbered(number, size), 0);
        whole = whole && names.contains(name) && store.source(name, std::to_string(number % 3));
    }
    REQUIRE(whole);
}

template <class Place>
void store_outlives_killed_writers(std::size_t size = 2'000) {
    kill_writers<Place>(
        [&](auto const& place, std::uint64_t next, auto const& say) { put_numbered(place.open(), next, size, say); },
        [&](auto const& place, std::vector<std::uint64_t> const& acknowledged) {
            check_numbered(place.open(), acknowledged, size);
            if constexpr (requires { place.files(); }) {
                REQUIRE(put(place.open(), "after").empty());
                for (auto const& name : place.files()) REQUIRE_FALSE(name.ends_with(".tmp"));
            }
            return acknowledged.empty() ? 0 : acknowledged.back() + 1;
        });
}

template <class Place>
void journal_outlives_killed_writers() {
    auto const write = [](auto const& place, std::uint64_t next, auto const& say) {
        auto const to = place.open();
        for (;; next += 3) {
            say(2 * (next + 2));
            for (auto const number : {next, next + 1, next + 2})
                if (!add(to, "c", number, numbered(number, 200)).empty()) return;
            if (to.flush("c")) return;
            say(2 * (next + 2) + 1);
        }
    };
    kill_writers<Place>(write, [](auto const& place, std::vector<std::uint64_t> const& acknowledged) {
        auto const seen = lines_of(place.open(), "c");
        bool in_order = true;
        for (std::size_t at = 0; at < seen.size(); ++at)
            in_order = in_order && seen[at].first.number == at && seen[at].second == numbered(at, 200);
        REQUIRE(in_order);
        REQUIRE((acknowledged.empty() || seen.size() > acknowledged.back()));
        return static_cast<std::uint64_t>(seen.size());
    });
}

}  // namespace store_tests
