// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/call_index.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using condense::detail::call_index;
using condense::detail::none32;

namespace {

std::uint32_t add(call_index& calls, std::string_view id, std::string_view tool = {}, std::uint32_t message = 0) {
    calls.reserve_more(1, id.size() + tool.size());
    return calls.add(id, tool, message);
}

}  // namespace

TEST_CASE("call_index: calls are found by their id, the newest that waits first") {
    call_index calls;
    CHECK(calls.nearest("a") == none32);
    CHECK(add(calls, "a", "read", 3) == 0);
    CHECK(add(calls, "b", "write", 4) == 1);
    CHECK(add(calls, "a", "shell", 5) == 2);
    CHECK(calls.size() == 3);
    CHECK(calls.nearest("a") == 2);
    calls[2].answered = true;
    CHECK(calls.nearest("a") == 0);
    calls[0].answered = true;
    // All are answered: the newest of that id.
    CHECK(calls.nearest("a") == 2);
    CHECK(calls.nearest("b") == 1);
    CHECK(calls.nearest("c") == none32);
    CHECK(calls.id(2) == "a");
    CHECK(calls.tool(2) == "shell");
    CHECK(calls[2].message == 5);
}

TEST_CASE("call_index: calls without an id are kept, and never found") {
    call_index calls;
    CHECK(add(calls, "", "read") == 0);
    CHECK(calls.nearest("") == none32);
    CHECK(add(calls, "a") == 1);
    CHECK(calls.nearest("") == none32);
    CHECK(calls.tool(0) == "read");
    CHECK(calls.tool(1).empty());
}

TEST_CASE("call_index: ids that are prefixes, long, or hold any byte are told apart") {
    call_index calls;
    std::vector<std::string> ids = {"a",          "aa", "aaa",  std::string(1'000, 'a'), std::string(1'001, 'a'),
                                    "\n",         " ",  "\xFF", std::string("\0", 1),    std::string("a\0b", 3),
                                    "../../etc/x"};
    for (auto const& id : ids) add(calls, id, "tool");
    for (std::uint32_t index = 0; index < ids.size(); ++index) {
        CHECK(calls.nearest(ids[index]) == index);
        CHECK(calls.id(index) == ids[index]);
    }
}

TEST_CASE("call_index: does what a map of stacks does, for any order of calls and answers") {
    for (bool const expected_to_come : {false, true}) {
        call_index calls;
        if (expected_to_come) calls.expect(3'000, 10'000);
        std::map<std::string, std::vector<std::uint32_t>> waiting;
        std::map<std::string, std::uint32_t> newest;
        std::uint64_t state = 5;
        auto const below = [&](std::uint64_t limit) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            return (state >> 33) % limit;
        };
        for (int step = 0; step < 20'000; ++step) {
            auto const id = "id" + std::to_string(below(below(2) == 0 ? 20 : 3'000));
            if (below(2) == 0) {
                auto const call = add(calls, id, "t");
                waiting[id].push_back(call);
                newest[id] = call;
                continue;
            }
            auto& stack = waiting[id];
            auto const expected = !stack.empty() ? stack.back() : newest.count(id) != 0 ? newest[id] : none32;
            REQUIRE(calls.nearest(id) == expected);
            if (stack.empty()) continue;
            calls[stack.back()].answered = true;
            stack.pop_back();
        }
        CHECK(calls.size() > 9'000);
    }
}

TEST_CASE("call_index: a call that is open again is found again") {
    call_index calls;
    std::vector<std::string> ids;
    std::uint64_t state = 7;
    auto const below = [&](std::uint64_t limit) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (state >> 33) % limit;
    };
    std::size_t reopened = 0;
    for (int step = 0; step < 4'000; ++step) {
        auto const id = "id" + std::to_string(below(12));
        auto const what = below(4);
        if (what == 0 || ids.empty()) {
            add(calls, id);
            ids.push_back(id);
        } else if (what == 1) {
            auto const call = static_cast<std::uint32_t>(below(ids.size()));
            reopened += calls[call].answered ? 1u : 0u;
            if (calls[call].answered) calls.reopen(call);
        } else {
            auto expected = none32;
            auto newest = none32;
            for (auto call = static_cast<std::uint32_t>(ids.size()); call-- > 0 && expected == none32;) {
                if (ids[call] != id) continue;
                if (newest == none32) newest = call;
                if (!calls[call].answered) expected = call;
            }
            REQUIRE(calls.nearest(id) == (expected != none32 ? expected : newest));
            if (expected != none32) calls[expected].answered = true;
        }
    }
    CHECK(reopened > 100);
}

TEST_CASE("call_index: after reserve_more nothing is allocated") {
    call_index calls;
    std::vector<std::string> ids;
    std::size_t text = 0;
    for (int number = 0; number < 500; ++number) {
        ids.push_back("an id that is longer than a small string " + std::to_string(number));
        text += ids.back().size() + 4;
    }
    calls.reserve_more(ids.size(), text);
    auto const* const first = (add(calls, ids[0], "tool"), calls.id(0).data());
    for (std::size_t index = 1; index < ids.size(); ++index) calls.add(ids[index], "tool", 0);
    CHECK(calls.id(0).data() == first);
    CHECK(calls.nearest(ids[499]) == 499);
}
