// SPDX-License-Identifier: BSL-1.0
#include <condense/preset/recommended.hpp>

#include <string>

#include "preset/stage.hpp"

namespace {

using namespace stage;

auto made(desk& things) { return condense::presets::recommended(things.journal, things.store, things.asked()); }
using mix_type = decltype(made(std::declval<desk&>()));

static_assert(condense::recoverable<mix_type>);
static_assert(condense::has_last_resort<mix_type>);
static_assert(condense::calls_model<mix_type>);

}  // namespace

TEST_CASE("recommended: keeps the laws, and the journal has all", "[laws]") { keeps_the_laws(made); }

TEST_CASE("recommended: what can be had again goes first, the model's summary last", "[row-X11]") {
    desk things;
    auto session = opened(made(things), 40'000_tokens);
    session.push(U("task"));
    std::uint64_t first_asked = 0;
    for (int turn = 0; turn < 60; ++turn) {
        run_tool(session, std::to_string(turn), "read_file", letters(1'500, static_cast<char>('a' + turn % 20)),
                 R"({"path":"f)" + std::to_string(turn % 5) + R"("})");
        session.push(A(letters(150, 't')));
        static_cast<void>(session.prepare());
        CHECK(session.used().fits());
        if (things.calls != 0 && first_asked == 0) first_asked = static_cast<std::uint64_t>(turn);
    }
    CHECK(session.statistics().layers[2].saved.count > 10'000);
    CHECK(session.statistics().layers[5].saved.count == 0);
    CHECK((first_asked == 0 || first_asked > 40));
}

TEST_CASE("recommended: waits longer while the prompt cache is in use", "[row-X6]") {
    for (bool const cached : {false, true}) {
        CAPTURE(cached);
        desk things;
        auto session = opened(made(things), 10'000_tokens);
        session.push(U("task"));
        run_tool(session, "1", "read_file", letters(4'430, 'o'), R"({"path":"f"})");
        run_tool(session, "2", "read_file", letters(4'430, 'n'), R"({"path":"f"})");
        talk(session, 4, 20);
        static_cast<void>(sent(session));
        if (cached) session.observe({.input = 1'000_tokens, .output = 10_tokens, .cache_read = 8'100_tokens});
        session.push(U("next"));
        CHECK(session.prepare().changed() != cached);
    }
}

TEST_CASE("recommended: the newest answer keeps its reasoning where the model has a use of it", "[row-C12]") {
    for (auto const use : {condense::reasoning_use::none, condense::reasoning_use::unknown}) {
        CAPTURE(static_cast<int>(use));
        desk things;
        auto session =
            opened(condense::presets::recommended(things.journal, things.store, things.asked(), use), 10'000_tokens);
        session.push(U("task"));
        for (std::size_t turn = 0; turn < 3; ++turn) {
            push(session, {thinking(A("done"), letters(3'000)), U("next")});
        }
        talk(session, 4, 20);
        CHECK(session.prepare().changed());
        std::size_t thoughts = 0;
        for (auto const& each : sent(session))
            for (auto const& part : each.parts) thoughts += part.kind == condense::part_kind::reasoning ? 1u : 0u;
        CHECK(thoughts == (use == condense::reasoning_use::none ? 0u : 1u));
    }
}
