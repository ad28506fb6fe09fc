// SPDX-License-Identifier: BSL-1.0
#include <condense/preset/recommended.hpp>

#include "preset/stage.hpp"

namespace {

using namespace stage;

auto made(desk& things) { return condense::presets::recommended(things.journal, things.store, things.asked()); }
using mix_type = mix_of<decltype(made)>;
static_assert(complete<mix_type>);
static_assert(condense::calls_model<mix_type>);

}  // namespace

TEST_CASE("recommended: keeps the laws, and the journal has all", "[laws]") { keeps_the_laws(made); }

TEST_CASE("recommended: what leaves is recorded and listed, and no model is asked for it", "[row-X9][row-X12]") {
    staged session{made, 20'000_tokens, {U("task")}};
    for (int turn = 0; turn < 60; ++turn) {
        run_tool(session, std::to_string(turn), "read_file", letters(900, static_cast<char>('a' + turn % 20)),
                 R"({"path":"src/file_)" + std::to_string(turn) + R"(.cpp"})");
        session.push(A("order W48" + std::to_string(1'000 + turn) + " is done"));
        if (turn == 2) session.push(U("use tabs"));
        if (turn == 5) session.push(U("go on"));
        static_cast<void>(session.prepare());
        CHECK(session.used().fits());
    }
    CHECK(session.things.calls == 0);
    auto const summary = summary_in(sent(session));
    CAPTURE(summary);
    for (auto const* const words : {"> use tabs\n", "Files read: ", "W481005", "file_3.cpp"})
        CHECK(summary.find(words) != std::string::npos);
}

TEST_CASE("recommended: the model writes when it is told to", "[row-D12]") {
    staged session{made, 20'000_tokens, {U("task")}};
    talk(session, 20, 200);
    CHECK_FALSE(session.prepare().changed());
    CHECK(session.run(condense::force{}).changed());
    CHECK(session.things.calls == 1);
}

TEST_CASE("recommended: a result over half of the window leaves the lines that name most", "[row-X12]") {
    staged session{made, 10'000_tokens, {U("task")}};
    std::string source;
    for (int line = 0; line < 200; ++line)
        source += line % 20 == 10 ? "    call name_" + std::to_string(line) + "(next);\n" : letters(50, 'w') + "\n";
    run_tool(session, "1", "read_file", source, R"({"path":"src/a.cpp"})");
    CHECK(session.prepare().fits());
    auto const request = sent(session);
    std::size_t names = 0;
    for (int line = 10; line < 200; line += 20)
        names += request[2].parts[0].text.find("name_" + std::to_string(line) + "(") != std::string::npos ? 1u : 0u;
    CHECK(names == 10);
    CHECK(request[2].parts[0].text.size() <= 4'000);
}

TEST_CASE("recommended: waits longer while the prompt cache is in use", "[row-X6]") {
    for (bool const cached : {false, true}) {
        CAPTURE(cached);
        staged session{made, 10'000_tokens, {U("task")}};
        run_tool(session, "1", "read_file", letters(4'480, 'o'), R"({"path":"f"})");
        run_tool(session, "2", "read_file", letters(4'480, 'n'), R"({"path":"f"})");
        talk(session, 4, 20);
        static_cast<void>(sent(session));
        if (cached) session.observe({.input = 100_tokens, .output = 10_tokens, .cache_read = 9'000_tokens});
        session.push(U("next"));
        CHECK(session.prepare().changed() != cached);
    }
}

TEST_CASE("recommended: reasoning goes where the model has no use of it", "[row-C12]") {
    for (auto const use : {condense::reasoning_use::none, condense::reasoning_use::unknown}) {
        CAPTURE(static_cast<int>(use));
        auto const with = [use](desk& things) {
            return condense::presets::recommended(things.journal, things.store, things.asked(), use);
        };
        staged session{with, 10'000_tokens, {U("task")}};
        for (int turn = 0; turn < 3; ++turn) push(session, {thinking(A("done"), letters(3'000)), U("next")});
        talk(session, 4, 20);
        CHECK(session.prepare().changed());
        std::size_t thoughts = 0;
        for (auto const& each : sent(session))
            for (auto const& part : each.parts) thoughts += part.kind == condense::part_kind::reasoning ? 1u : 0u;
        CHECK(thoughts == 0);
    }
}
