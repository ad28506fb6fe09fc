// SPDX-License-Identifier: BSL-1.0
#include <condense/preset/coding_agent.hpp>

#include "preset/stage.hpp"

namespace {

using namespace stage;

auto made(desk& things) { return condense::presets::coding_agent(things.journal, things.asked()); }
using mix_type = mix_of<decltype(made)>;
static_assert(complete<mix_type>);

}  // namespace

TEST_CASE("coding_agent: keeps the laws, and the journal has all", "[laws][row-D6]") { keeps_the_laws(made); }

TEST_CASE("coding_agent: output is cut right after the tool ran", "[row-D1][case-28][case-31]") {
    staged session{made, 1'000'000_tokens, {U("task")}};
    run_tool(session, "1", "shell", numbered_lines(256));
    CHECK(sent_text(session, 2) == numbered_lines(256));
    run_tool(session, "2", "shell", numbered_lines(300));
    auto const cut = sent_text(session, 4);
    CHECK((cut.starts_with(numbered_lines(128)) && cut.ends_with("line 299\nline 300\n")));
    CHECK((cut.find("line 129\n") == cut.npos && cut.find("44 of 300 lines") != cut.npos));
    std::string wide;
    for (int line = 0; line < 10; ++line) wide += letters(2'000, static_cast<char>('a' + line)) + "\n";
    run_tool(session, "3", "shell", wide);
    auto const narrow = sent_text(session, 6);
    CHECK((narrow.size() <= 10'240 && narrow.size() > 9'000 && narrow.starts_with("aaa")));
    CHECK(narrow.ends_with("jjj\n"));
    CHECK(session.things.recorded()[6].find(letters(2'000, 'e')) != std::string::npos);
}

TEST_CASE("coding_agent: at 70 % all but the last ten messages becomes one summary", "[row-D3]") {
    staged session{made, 71'000_tokens, {U("the task")}};
    talk(session, 24, 1'000);
    talk(session, 5, 100);
    CHECK_FALSE(session.push(U(letters(600, 'u'))));
    CHECK_FALSE(session.prepare().changed());
    CHECK(session.push(A(letters(200, 'a'))));
    auto const before = session.used().tokens.count;
    CHECK(before >= 49'700);
    CHECK(session.prepare().changed());
    CHECK(session.used().tokens.count < before / 10);
    CHECK(session.things.calls == 1);
    CHECK(sent_text(session, 0) == "the task");
    CHECK_FALSE(session.run().changed());
}

TEST_CASE("coding_agent: the summary is of two or three sentences, and the report has the ratio", "[row-D3]") {
    desk things;
    std::string prompt;
    auto const asked = [&](std::string_view given) { return prompt = given, std::string{"They want X. Y was done."}; };
    conversation all{U("the task")};
    for (int round = 0; round < 24; ++round) all.insert(all.end(), {U(letters(1'000)), A(letters(1'000))});
    for (int round = 0; round < 5; ++round) all.insert(all.end(), {U(letters(100)), A(letters(100))});
    auto const report = condense::reduce(all, condense::presets::coding_agent(things.journal, asked),
                                         {.window = 60'000_tokens}, per_byte{});
    CHECK(prompt.find("two or three sentences") != std::string::npos);
    CHECK(prompt.find("Sections:") == std::string::npos);
    CHECK(all.size() <= 13);
    CHECK(report.ratio() < 10_pct);
}

TEST_CASE("coding_agent: eleven messages stay", "[row-D3]") {
    desk things;
    conversation all{U(letters(4'000))};
    for (int round = 0; round < 5; ++round) all.insert(all.end(), {A(letters(400)), U(letters(400))});
    auto const before = all;
    auto const report = condense::reduce(all, made(things), {.window = 11'000_tokens}, per_byte{});
    CHECK(report.before.tokens >= 7'700_tokens);
    CHECK(all == before);
    CHECK((!report.changed() && report.outcome == condense::outcome::fits));
    CHECK(things.calls == 0);
    for (auto const& layer : report.layers)
        CHECK(layer.outcome ==
              (layer.name == "record" ? condense::layer_outcome::stored : condense::layer_outcome::idle));
}

TEST_CASE("coding_agent: fifty and more turns never overflow", "[row-D11]") {
    staged session{made, 8'000_tokens};
    for (int turn = 0; turn < 120; ++turn) {
        session.push(U("step " + std::to_string(turn)));
        run_tool(session, std::to_string(turn), "shell", letters(static_cast<std::size_t>(turn * 37 % 900)));
        session.push(A(letters(80, 'a')));
        session.things.down = turn % 3 == 0;
        static_cast<void>(session.prepare());
        CHECK(session.used().fits());
    }
    CHECK(session.things.calls > 2);
}

TEST_CASE("coding_agent: above 95 % a request is never said to fit", "[row-D4]") {
    desk things;
    for (std::size_t const last : {9'499u, 9'501u}) {
        conversation all{U(letters(last))};
        auto const report = condense::reduce(all, made(things), {.window = 10'000_tokens}, per_byte{});
        CHECK(report.fits() == (last <= 9'500));
        CHECK((report.outcome == condense::outcome::exhausted) == (last > 9'500));
    }
}
