// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/turns.hpp>

#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

#include "replay/replayed.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using talk::line;
using talk::role;

/// Without a reduction.
condense::replay_figures plain(std::vector<line> const& told, condense::budget limits = {.window = 1'000_tokens}) {
    return talk::replayed(told, condense::pipeline{}, limits);
}

TEST_CASE("a request is made before each answer, joined ones have one") {
    auto const made = plain({{role::assistant, "hello"},
                             {role::user, "12345"},
                             {role::assistant, "123"},
                             {role::assistant, "45", true},
                             {role::assistant, "6"}});
    CHECK(made.turns == std::vector<condense::request_figures>{{.message = 2, .sent = 10_tokens},
                                                               {.message = 4, .sent = 15_tokens, .cached = 10_tokens}});
    CHECK(made.answered == 6_tokens);
    CHECK(made.requests == 2);
    CHECK(made.hits == 1);
    CHECK(made.peak == 15_tokens);
    CHECK(made.sent == 25_tokens);
}

TEST_CASE("what is kept outside the messages is sent and cached with them") {
    auto const made =
        plain({{role::user, "12345"}, {role::assistant, "123"}, {role::user, "1"}, {role::assistant, "1"}},
              {.window = 1'000_tokens, .overhead = 100_tokens});
    CHECK(made.turns ==
          std::vector<condense::request_figures>{{.message = 1, .sent = 105_tokens},
                                                 {.message = 3, .sent = 109_tokens, .cached = 105_tokens}});
}

TEST_CASE("a request above the input is over, or exhausted where the run says so") {
    CHECK(plain({{role::user, letters(1'001)}, {role::assistant, "1"}}).over == 1);
    CHECK(plain({{role::user, letters(1'000)}, {role::assistant, "1"}}).over == 0);
    conversation const told{U(letters(1'001)), A("1"), A("2")};
    using condense::used;
    auto const made = talk::replayed(told, condense::pipeline{condense::sliding_window{.when = used >= 90_pct},
                                                              condense::escalate{.when = used >= 90_pct}});
    CHECK(made.exhausted == 2);
    CHECK(made.over == 0);
    CHECK_FALSE(made.fits());
}

TEST_CASE("what an answer needs is not visible in a request above the input") {
    std::vector<line> const told{{role::user, "a_name " + letters(993)},
                                 {role::assistant, "a_name"},
                                 {role::user, "1"},
                                 {role::assistant, "a_name"}};
    CHECK(plain(told).over == 1);
    CHECK(plain(told).all_items() == condense::fidelity{.visible = 1, .lost = 1, .labelled = 1, .in_line = 1});
}

TEST_CASE("edits are counted where their old text stood, and seen where it is sent") {
    conversation const told{U("int a;" + letters(500)), C("1", "edit", R"({"old_string":"int a;"})"),
                            R("1", letters(600)), C("2", "edit", R"({"old_string":"int a;"})"), R("2")};
    for (auto const& [window, visible] : {std::pair{10'000_tokens, 2u}, {1'000_tokens, 1u}}) {
        auto const made = talk::replayed(told, condense::pipeline{}, {.window = window});
        CHECK(made.edits == 2);
        CHECK(made.edits_visible == visible);
    }
}

TEST_CASE("time is measured around the library alone") {
    std::uint64_t ticks = 0;
    condense::replay_options<per_byte, talk::ticking> const options{.clock = {&ticks}};
    std::vector<line> const told{{role::user, "a"}, {role::assistant, "b"}};
    auto const made = condense::replay_one(told, "x", {.window = 10_tokens}, condense::prices{}, talk::none, options);
    CHECK(made.time.count == 4);  // two pushes, one request, one report
}

TEST_CASE("a conversation without answers asks nothing") {
    CHECK(plain({}).requests == 0);
    CHECK(plain({{role::user, "a"}}).requests == 0);
    CHECK(plain({{role::assistant, "a"}}).requests == 0);
    CHECK(plain({}).violations == 0);
}

}  // namespace
