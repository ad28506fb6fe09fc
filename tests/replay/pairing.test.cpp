// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/pairing.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::detail::none32;
using condense::detail::replay_pairing;
using list = std::vector<std::uint32_t>;

replay_pairing paired(conversation const& all) {
    replay_pairing pairs;
    for (auto const& m : all) pairs.push(condense::detail::read_message(m));
    return pairs;
}

TEST_CASE("a result belongs to the nearest call with its id that waits") {
    auto const pairs = paired({C("a", "read"), R("a", "1"), C("a", "read"), C("b", "read"), R("a", "2"), R("a", "3"),
                               R("b", "4"), R("c", "5")});
    CHECK(pairs.linked(0) == list{1});
    CHECK(pairs.linked(2) == list{4, 5});
    CHECK(pairs.linked(3) == list{6});
    CHECK(pairs.linked(7).empty());
    CHECK(pairs.has_orphan(7));
    CHECK_FALSE(pairs.has_orphan(6));
}

TEST_CASE("parallel calls of one message share it") {
    auto const pairs = paired({C("a", "read").and_call("b", "read", "{}"), R("b", "1"), R("a", "2")});
    CHECK(pairs.linked(0) == list{1, 2});
}

TEST_CASE("a result without id belongs to the newest message with calls") {
    auto const pairs =
        paired({C("", "read"), R("", "1"), C("", "read").and_call("", "read", "{}"), R("", "2"), R("", "3")});
    CHECK(pairs.linked(0) == list{1});
    CHECK(pairs.linked(2) == list{3, 4});
    CHECK(paired({R("", "1")}).has_orphan(0));
}

TEST_CASE("the newest calls are open until an answer follows") {
    conversation all{U("x"), C("a", "read")};
    CHECK(paired(all).open() == 1);
    all.push_back(R("a", "1"));
    CHECK(paired(all).open() == 1);
    all.push_back(A("so"));
    CHECK(paired(all).open() == none32);
    all.push_back(C("b", "read"));
    CHECK(paired(all).open() == 4);
    CHECK(paired({A("hello")}).open() == none32);
}

TEST_CASE("ten thousand calls with one id are passed by once each") {
    conversation all;
    for (int at = 0; at < 10'000; ++at) all.push_back(C("same", "read"));
    for (int at = 0; at < 10'000; ++at) all.push_back(R("same", "x"));
    auto const pairs = paired(all);
    CHECK(pairs.linked(0) == list{19'999});
    CHECK(pairs.linked(9'999) == list{10'000});
}

}  // namespace
