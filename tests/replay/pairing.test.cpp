// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/pairing.hpp>

#include <vector>

#include "replay/talk.hpp"
#include "support/catch.hpp"

namespace {

using condense::detail::none32;
using condense::detail::replay_pairing;
using list = std::vector<std::uint32_t>;

replay_pairing paired(std::vector<talk::chat_message> const& all) {
    replay_pairing pairs;
    for (auto const& m : all) pairs.push(condense::detail::read_message(m));
    return pairs;
}

TEST_CASE("a result belongs to the nearest call with its id that waits") {
    auto const pairs =
        paired({talk::call("a"), talk::result("a", "1"), talk::call("a"), talk::call("b"), talk::result("a", "2"),
                talk::result("a", "3"), talk::result("b", "4"), talk::result("c", "5")});
    CHECK(pairs.linked(0) == list{1});
    CHECK(pairs.linked(2) == list{4, 5});
    CHECK(pairs.linked(3) == list{6});
    CHECK(pairs.linked(7).empty());
    CHECK(pairs.has_orphan(7));
    CHECK_FALSE(pairs.has_orphan(6));
}

TEST_CASE("parallel calls of one message share it") {
    auto const pairs =
        paired({talk::call("a").and_call("b", "read", "{}"), talk::result("b", "1"), talk::result("a", "2")});
    CHECK(pairs.linked(0) == list{1, 2});
}

TEST_CASE("a result without id belongs to the newest message with calls") {
    auto const pairs = paired({talk::call(""), talk::result("", "1"), talk::call("").and_call("", "read", "{}"),
                               talk::result("", "2"), talk::result("", "3")});
    CHECK(pairs.linked(0) == list{1});
    CHECK(pairs.linked(2) == list{3, 4});
    CHECK(paired({talk::result("", "1")}).has_orphan(0));
}

TEST_CASE("the newest calls are open until an answer follows") {
    std::vector<talk::chat_message> all{talk::user("x"), talk::call("a")};
    CHECK(paired(all).open() == 1);
    all.push_back(talk::result("a", "1"));
    CHECK(paired(all).open() == 1);
    all.push_back(talk::says("so"));
    CHECK(paired(all).open() == none32);
    all.push_back(talk::call("b"));
    CHECK(paired(all).open() == 4);
    CHECK(paired({talk::says("hello")}).open() == none32);
}

TEST_CASE("ten thousand calls with one id are passed by once each") {
    std::vector<talk::chat_message> all;
    for (int at = 0; at < 10'000; ++at) all.push_back(talk::call("same"));
    for (int at = 0; at < 10'000; ++at) all.push_back(talk::result("same", "x"));
    auto const pairs = paired(all);
    CHECK(pairs.linked(0) == list{19'999});
    CHECK(pairs.linked(9'999) == list{10'000});
}

}  // namespace
