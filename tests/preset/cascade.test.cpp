// SPDX-License-Identifier: BSL-1.0
#include <condense/preset/cascade.hpp>

#include "preset/stage.hpp"

namespace {

using namespace stage;

auto made(desk& things) { return condense::presets::cascade(things.journal, things.store, things.asked()); }
using mix_type = mix_of<decltype(made)>;
static_assert(complete<mix_type>);

auto without_room(desk& things) {
    fakes::shelf full;
    full.held->fails = true;
    return condense::presets::cascade(things.journal, full, things.asked());
}

struct cascade_for {
    condense::reasoning_use use;
    auto operator()(desk& things) const {
        return condense::presets::cascade(things.journal, things.store, things.asked(), use);
    }
};

}  // namespace

TEST_CASE("cascade: keeps the laws, and the journal has all", "[laws][row-C12]") {
    keeps_the_laws(made);
    keeps_the_laws(cascade_for{condense::reasoning_use::none});
}

TEST_CASE("cascade: a result over the limit is stored, an inline preview stays", "[row-C1]") {
    staged session{made, 1'000'000_tokens, {U("task")}};
    run_tool(session, "1", "shell", letters(10'000));
    CHECK(session.things.store.size() == 0);
    auto const text = letters(10'001);
    run_tool(session, "2", "shell", text);
    CHECK(session.things.store.get(session.things.store.name(text)) == text);
    CHECK((sent_text(session, 4).size() < 4'300 && sent_text(session, 4).size() > 4'000));
}

TEST_CASE("cascade: what could not be stored is capped", "[row-C1]") {
    staged session{without_room, 1'000'000_tokens, {U("task")}};
    run_tool(session, "1", "shell", letters(30'000));
    run_tool(session, "2", "shell", letters(50'000));
    session.push(A("done"));
    CHECK((sent_text(session, 2) == letters(30'000) && sent_text(session, 4).size() <= 30'000));
    CHECK(sent_text(session, 4).size() > 29'000);
}

TEST_CASE("cascade: from 65 % old results are sampled, JSON stays JSON", "[row-C3][row-C8]") {
    std::string rows = "[";
    for (int row = 0; row < 200; ++row)
        rows += R"({"id":)" + std::to_string(row) + R"(,"note":")" + letters(40, 'n') + R"("},)";
    rows.back() = ']';
    REQUIRE(rows.size() > 10'000);
    REQUIRE(rows.size() < 30'000);
    for (bool const due : {false, true}) {
        CAPTURE(due);
        staged session{without_room, 100'000_tokens, {U("task")}};
        run_tool(session, "1", "query", rows);
        run_tool(session, "2", "shell", letters(10'001));
        run_tool(session, "3", "shell", letters(10'000));
        talk(session, 4, 100);
        session.push(U(letters(64'999 - session.used().tokens.count + (due ? 1 : 0), 'u')));
        CHECK(session.prepare().changed() == due);
        if (!due) continue;
        auto const sampled = sent_text(session, 2);
        CHECK(sampled.size() < 3'000);
        CHECK(condense::detail::json::valid(sampled));
        CHECK(sampled.find("200") != sampled.npos);
        CHECK(contains(sampled,
                       " of 200 items omitted from " + condense::detail::grouped(rows.size()) + " bytes; json, "));
        CHECK(sent_text(session, 4).size() <= 8'150);
        CHECK(contains(sent_text(session, 4), "[... 2,001 of 10,001 characters omitted; text, 79 % left; "));
        CHECK(sent_text(session, 6) == letters(10'000));
        CHECK(session.things.calls == 0);
    }
}

TEST_CASE("cascade: at 70 % of the window of messages old results are sampled, however few tokens", "[row-C8]") {
    staged session{without_room, 1'000'000_tokens, {U("task")}};
    run_tool(session, "1", "shell", letters(12'000));
    talk(session, 33, 10);
    REQUIRE(session.used().messages == 69_messages);
    CHECK_FALSE(session.prepare().changed());
    session.push(U("the 70th"));
    CHECK(session.prepare().changed());
    CHECK(sent_text(session, 2).size() <= 8'150);
}

TEST_CASE("cascade: many messages that hold nothing to sample are no failure", "[row-C8][law-18]") {
    desk things;
    std::vector<bool> circuits;
    auto const observer = [&](condense::events::circuit const& event) { circuits.push_back(event.open); };
    condense::session session{conversation{}, made(things), condense::budget{.window = 1'000'000_tokens}, per_byte{},
                              condense::run_options{.observer = observer}};
    session.push(U("task"));
    talk(session, 34, 10);
    session.push(U("the 70th"));
    for (int turn = 0; turn < 14; ++turn) {
        session.push(A("done"));
        CHECK_FALSE(session.prepare().changed());
        session.push(U("on"));
        CHECK_FALSE(session.prepare().changed());
    }
    CHECK(session.used().messages == 98_messages);
    CHECK(circuits.empty());
}

TEST_CASE("cascade: more than 100 messages are brought to 90, the first and the last stay", "[row-C4][row-C5]") {
    staged session{made, 1'000'000_tokens, {U("the task"), A("begun")}};
    talk(session, 49, 10);
    CHECK_FALSE(session.prepare().changed());
    session.push(U("the 101st"));
    CHECK(session.prepare().changed());
    auto const request = sent(session);
    CHECK((request.size() <= 90 && request.size() >= 88));
    CHECK((laws::words(request[0]) == "the task" && laws::words(request.back()) == "the 101st"));
    CHECK(session.things.calls == 0);
}

TEST_CASE("cascade: a summary takes the oldest share, at any count of messages", "[row-C6]") {
    staged session{made, 10'000_tokens, {U("the task")}};
    for (int turn = 0; turn < 12; ++turn) push(session, {A(letters(670, 'a')), U("on")});
    REQUIRE(session.used().tokens.count >= 8'000);
    CHECK(session.prepare().changed());
    CHECK(session.things.calls == 1);
    auto const left = session.used().tokens.count;
    CHECK((left <= 5'600 && left > 4'000));
    CHECK(sent_text(session, 0) == "the task");
}

TEST_CASE("cascade: escalation has two passes and half a minute", "[row-C7][case-141]") {
    desk things;
    std::uint64_t now = 0;
    condense::run_options<fakes::clock> options{.clock = {&now, 35'000'000'000}};
    conversation all{U("the task")};
    for (int turn = 0; turn < 4; ++turn) all.push_back(A(letters(2'400, 'a')));
    for (auto& m : all) m.pinned = true;
    auto const mix = made(things);
    auto const report = condense::reduce(all, mix, {.window = 10'000_tokens}, per_byte{}, options);
    CHECK(report.outcome == condense::outcome::time);
    auto const unhurried = condense::reduce(all, mix, {.window = 9'600_tokens}, per_byte{});
    CHECK((unhurried.outcome == condense::outcome::exhausted && unhurried.floor.count == 9'608));
}

TEST_CASE("cascade: waits longer while the prompt cache is in use", "[row-C11][case-138]") {
    staged session{without_room, 100'000_tokens, {U("task")}};
    run_tool(session, "1", "shell", letters(12'000));
    talk(session, 4, 100);
    session.push(U(letters(70'000 - session.used().tokens.count, 'u')));
    static_cast<void>(sent(session));
    session.observe({.input = 40'000_tokens, .output = 10_tokens, .cache_read = 30'000_tokens});
    CHECK_FALSE(session.prepare().changed());
    session.push(A(letters(5'000, 'a')));
    CHECK(session.prepare().changed());
}

TEST_CASE("cascade: for a model without use of reasoning it goes, but for that of the open round", "[row-C12]") {
    conversation const all{U("task"),     thinking(C("1", "shell"), letters(900, 's'), true),
                           R("1", "one"), thinking(A("so far"), letters(900, 't'), false),
                           U("go on"),    thinking(C("2", "shell"), letters(900, 'o'), true),
                           R("2", "two")};
    for (auto const use :
         {condense::reasoning_use::none, condense::reasoning_use::takes_back, condense::reasoning_use::unknown}) {
        for (auto const window : {100'000_tokens, 4'000_tokens}) {
            CAPTURE(static_cast<int>(use), window.count);
            staged session{cascade_for{use}, window};
            push(session, all);
            bool const goes = use == condense::reasoning_use::none && window == 4'000_tokens;
            CHECK(session.prepare().changed() == goes);
            auto expected = all;
            if (goes)
                for (std::size_t const index : {1u, 3u}) expected[index].parts.erase(expected[index].parts.begin());
            CHECK(sent(session) == expected);
        }
    }
}
