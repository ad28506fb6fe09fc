// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/reading.hpp>

#include <set>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using namespace condense::detail;

TEST_CASE("messages that differ in anything read differently") {
    auto const base = R("c1", "words");
    auto status = base;
    status.parts[0].status = part_status::error;
    auto sealed = base;
    sealed.parts[0].sealed = true;
    auto tool = base;
    tool.parts[0].tool = "read";
    auto priced = base;
    priced.parts[0].cost = condense::cost{0};
    auto twice = base;
    twice.parts.push_back(base.parts[0]);
    std::set<std::uint64_t> prints;
    for (auto const& m : {base, status, sealed, tool, priced, twice, R("c2", "words"), R("c1", "word"), A("words"),
                          U("words"), C("c1", "read", "words"), U("")})
        prints.insert(read_message(m).print);
    CHECK(prints.size() == 12);
    CHECK(read_message(base).print == read_message(R("c1", "words")).print);
}

TEST_CASE("a plain user message says something that answers no call") {
    CHECK(read_message(U("go on")).plain_user());
    CHECK_FALSE(read_message(U("")).plain_user());
    CHECK_FALSE(read_message(A("go on")).plain_user());
    auto answer = R("c1", "words");
    answer.role = talk::role::user;
    CHECK_FALSE(read_message(answer).plain_user());
    answer.parts.push_back({.text = "and go on"});
    CHECK(read_message(answer).plain_user());
}

TEST_CASE("a message costs its parts by the estimator, media their own cost") {
    auto m = U("12345");
    m.parts.push_back({.kind = part_kind::media, .text = "image/png", .cost = condense::cost::of({100})});
    CHECK(cost_of_message(m, per_byte{}).tokens().count == 105);
    CHECK(read_message(m).parts[1].size == 9);
    CHECK(read_message(U("\xC3\xA4")).parts[0].points == 1);
}

}  // namespace
