// SPDX-License-Identifier: BSL-1.0
#include <condense/preset/planned.hpp>

#include <condense/plan/model_planner.hpp>

#include "preset/stage.hpp"

namespace {

using namespace stage;

auto made(desk& things) { return condense::presets::planned(things.journal, things.store); }
using mix_type = mix_of<decltype(made)>;
static_assert(complete<mix_type>);
static_assert(!condense::calls_model<mix_type> && condense::writes<mix_type>);
static_assert(condense::deterministic<mix_type>);

auto by_model(desk& things) {
    return condense::presets::planned(things.journal, things.store, condense::model_planner{things.asked()},
                                      things.asked());
}
static_assert(condense::calls_model<decltype(by_model(std::declval<desk&>()))>);

/// What a search for a city found: its figures, among words that are in no other result.
std::string findings(std::string const& city, std::size_t lines) {
    std::string all;
    for (std::size_t line = 0; line < lines; ++line)
        all += line % 10 == 5 ? "The harbour of " + city + " has " + std::to_string(line) + " cranes.\n"
                              : city + "word" + std::to_string(line) + " " + letters(30, 'w') + "\n";
    return all;
}

}  // namespace

TEST_CASE("planned: keeps the laws, and the journal has all", "[laws]") {
    keeps_the_laws(made);
    keeps_the_laws(by_model);
}

TEST_CASE("planned: each of many questions gets the findings that it is about") {
    staged session{made, 20'000_tokens, {S("You answer questions about harbours.")}};
    session.push(U("Look at the harbours."));
    std::vector<std::string> const cities{"bergen", "genoa", "hull", "izmir", "jeddah", "kobe", "lagos", "malaga"};
    for (auto const& city : cities) {
        run_tool(session, city, "web_search", findings(city, 80));
        CHECK(session.prepare().fits());
    }
    session.push(A("I have."));
    for (int round = 0; round < 3; ++round)
        for (auto const& city : cities) {
            CAPTURE(round, city);
            session.push(U("How many cranes has the harbour of " + city + "?"));
            CHECK(session.prepare().fits());
            auto const shown = result_in(sent(session), city);
            CHECK(shown.find("The harbour of " + city + " has 75 cranes.") != std::string::npos);
            std::size_t whole = 0;
            for (auto const& other : cities) whole += result_in(sent(session), other) == findings(other, 80) ? 1u : 0u;
            CHECK(whole <= 2);  // half of the window
            session.push(A(letters(400, 'a')));
        }
    for (auto const& city : cities) {
        auto const text = findings(city, 80);
        CHECK(session.things.store.get(session.things.store.name(text)) == text);
    }
    CHECK(session.things.recorded().size() == session.history().size());
    CHECK(session.run().fits());
    CHECK_FALSE(session.run().changed());
}

TEST_CASE("planned: in a long talk the oldest messages go, and results have room again") {
    staged session{made, 12'000_tokens, {U("task")}};
    run_tool(session, "1", "web_search", findings("bergen", 40));
    session.push(A("noted"));
    std::size_t dropped = 0;
    for (int turn = 0; turn < 40; ++turn) {
        talk(session, 1, 400);
        auto const report = session.prepare();
        CHECK(report.fits());
        dropped += report.layers[2].groups_dropped;
    }
    CHECK(dropped > 20);
    CHECK(result_in(sent(session), "1").empty());
    session.push(U("How many cranes has the harbour of bergen?"));
    CHECK(result_in(sent(session), "1").find("The harbour of bergen has 35 cranes.") != std::string::npos);
    CHECK(session.used().fits());
}

TEST_CASE("planned: a model that is down costs no question its results") {
    staged session{by_model, 10'000_tokens, {U("task")}};
    session.things.down = true;
    for (std::string const city : {"bergen", "genoa", "hull"})
        run_tool(session, city, "web_search", findings(city, 60));
    push(session, {A("noted"), U("How many cranes has the harbour of hull?")});
    CHECK(session.things.calls == 1);
    CHECK(result_in(sent(session), "hull") == findings("hull", 60));  // the newest
    CHECK(session.statistics().layers[1].failures == 0);
    CHECK(session.prepare().fits());
    CHECK(session.things.calls == 1);
}
