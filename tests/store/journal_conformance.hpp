// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>

#include "store/contents.hpp"
#include "support/catch.hpp"

// What holds for every journal. `make()` gives one that is empty.

namespace store_tests {

using lines = std::vector<std::pair<condense::journal_entry, std::string>>;

inline lines lines_of(condense::journal auto const& from, std::string_view conversation) {
    lines all;
    auto const problem = from.read(conversation, [&](condense::journal_entry const& entry, std::string_view content) {
        all.emplace_back(entry, content);
    });
    CHECK_FALSE(problem);
    return all;
}

/// The error where there is one.
inline std::string add(condense::journal auto const& to, std::string_view conversation, std::uint64_t number,
                       std::string_view content) {
    return std::string{std::string_view{to.append(conversation, {to.name(content), number, false}, content).reason}};
}

void journal_gives_back_what_it_was_given(auto make) {
    condense::journal auto const to = make();
    auto const copy = to;
    auto const all = contents();
    auto const ids = conversations();
    std::map<std::string, lines> expected;
    for (auto const& id : ids) {
        CHECK(lines_of(to, id).empty());
        CHECK_FALSE(to.flush(id));
    }
    for (std::size_t place = 0; place < all.size(); ++place)
        for (std::size_t which = 0; which < ids.size(); ++which) {
            if (which > 0 && (place + which) % 5 != 0) continue;
            condense::journal_entry const entry{to.name(all[place]), place * 3, false};
            CHECK_FALSE(to.append(ids[which], entry, all[place]));
            expected[ids[which]].emplace_back(entry, all[place]);
        }
    for (auto const& id : ids) {
        CHECK_FALSE(to.flush(id));
        CHECK((lines_of(copy, id) == expected[id]));
    }
    CHECK(expected[ids.back()].size() > 3);
}

void journal_takes_what_a_run_made(auto make) {
    condense::journal auto const to = make();
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    lines const expected{{{to.name("a"), 0, false}, "a"},
                         {{to.name("another text"), most, true}, ""},
                         {{{}, 7, true}, ""},
                         {{to.name(""), most, false}, ""},
                         {{to.name("a"), 0, false}, "a"}};
    for (auto const& [entry, content] : expected) CHECK_FALSE(to.append("c", entry, content));
    CHECK((lines_of(to, "c") == expected));
}

void journal_refuses_what_it_could_not_give_back(auto make) {
    condense::journal auto const to = make();
    CHECK(to.append("c", {to.name("a"), 1, false}, "b"));
    CHECK(to.append("c", {{}, 1, false}, "b"));
    CHECK(to.append("c", {to.name("b"), 1, true}, "b"));
    CHECK_FALSE(to.flush("c"));
    CHECK(lines_of(to, "c").empty());
}

void journal_may_grow_while_it_is_read(auto make) {
    condense::journal auto const to = make();
    for (std::uint64_t number = 0; number < 3; ++number) CHECK(add(to, "c", number, "a").empty());
    std::size_t seen = 0;
    CHECK_FALSE(to.read("c", [&](condense::journal_entry const& entry, std::string_view) {
        ++seen;
        CHECK(add(to, "c", entry.number + 10, "b").empty());
    }));
    CHECK(seen == 3);
    CHECK(lines_of(to, "c").size() == 6);
}

/// Each thread's lines are whole, all there and in its order.
void journal_is_for_threads(auto make) {
    condense::journal auto const shared = make();
    std::atomic<int> failed = 0;
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 8; ++thread)
        threads.emplace_back([&, thread, to = shared] {
            for (std::uint64_t line = 0; line < 100; ++line) {
                auto const content = std::string(line * 7, static_cast<char>('a' + thread));
                if (!add(to, "shared", thread * 1'000 + line, content).empty()) ++failed;
                if (!add(to, std::to_string(thread), line, content).empty()) ++failed;
                if (line % 25 == 0 && to.flush("shared")) ++failed;
                if (line % 25 == 0) static_cast<void>(to.read("shared", [](auto&&...) {}));
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(failed == 0);
    std::map<std::uint64_t, std::uint64_t> next;
    for (auto const& [entry, content] : lines_of(shared, "shared")) {
        auto const thread = entry.number / 1'000;
        CHECK(entry.number % 1'000 == next[thread]++);
        CHECK(content == std::string((entry.number % 1'000) * 7, static_cast<char>('a' + thread)));
    }
    for (std::uint64_t thread = 0; thread < 8; ++thread) {
        CHECK(next[thread] == 100);
        CHECK(lines_of(shared, std::to_string(thread)).size() == 100);
    }
}

}  // namespace store_tests
