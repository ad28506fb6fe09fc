// SPDX-License-Identifier: BSL-1.0
#include <condense/preset/progressive.hpp>

#include "preset/stage.hpp"

namespace {

using namespace stage;

auto made(desk& things) { return condense::presets::progressive(things.journal, things.store, things.asked()); }
using mix_type = mix_of<decltype(made)>;
static_assert(complete<mix_type>);
static_assert(condense::calls_model<mix_type> && condense::writes<mix_type>);

}  // namespace

TEST_CASE("progressive: keeps the laws, and the journal has all", "[laws][row-V4]") { keeps_the_laws(made); }

TEST_CASE("progressive: a large result is stored the moment it arrives", "[row-V1][row-V4]") {
    staged session{made, 1'000'000_tokens, {U("task")}};
    run_tool(session, "1", "shell", letters(20'000));
    CHECK(session.things.store.size() == 0);
    CHECK(sent_text(session, 2) == letters(20'000));
    auto const lines = numbered_lines(10'000);  // 108,894 bytes
    run_tool(session, "2", "shell", lines);
    CHECK(session.things.store.size() == 1);
    auto const preview = sent_text(session, 4);
    CHECK((preview.starts_with(numbered_lines(10)) && preview.find("line 11\n") == preview.npos));
    CHECK(preview.find("9,990 of 10,000 lines") != preview.npos);
    auto const name = session.things.store.name(lines);
    CHECK(preview.find(name.text()) != preview.npos);
    CHECK(session.things.store.get(name) == lines);
    run_tool(session, "3", "shell", letters(1'000'000));
    CHECK(sent_text(session, 6).size() < 4'500);
    CHECK((session.things.recorded().size() == 7 && session.things.calls == 0));
}

TEST_CASE("progressive: from 85 % what was written into files becomes a pointer", "[row-V2]") {
    auto const content = letters(2'200, 'c');
    auto const arguments = R"({"path":"src/a.cpp","content":")" + content + R"("})";
    for (bool const due : {false, true}) {
        CAPTURE(due);
        staged session{made, 10'000_tokens, {U("task")}};
        run_tool(session, "1", "write_file", letters(600, 'o'), arguments);
        run_tool(session, "2", "shell", letters(600, 's'), arguments);
        session.push(C("3", "edit_file", R"({"path":"b","new_text":"x"})"));
        auto failed = R("3", letters(600, 'f'));
        failed.parts[0].status = condense::part_status::error;
        session.push(failed);
        auto const size = session.used().tokens.count;
        session.push(A(letters(8'499 - size + (due ? 1 : 0))));
        CHECK(session.prepare().changed() == due);
        auto const request = sent(session);
        REQUIRE(request.size() == 8);
        auto const& call = request[1].parts.back();
        CHECK((call.text != arguments) == due);
        if (due) {
            CHECK((call.text.size() < 350 && call.text.find(R"("path":"src/a.cpp")") != call.text.npos));
            CHECK(call.text.find("read src/a.cpp") != call.text.npos);
            CHECK(condense::detail::json::valid(call.text));
            CHECK((call.call == "1" && call.tool == "write_file"));
            CHECK(laws::words(request[2]).size() < 400);
        }
        CHECK(request[3].parts.back().text == arguments);
        CHECK(laws::words(request[6]) == letters(600, 'f'));
    }
}

TEST_CASE("progressive: from 95 % system message, task, one summary and a recent tail are left", "[row-V3][row-V6]") {
    staged session{made, 10'000_tokens, {S("You are terse.")}};
    talk(session, 23, 200);
    session.push(U(letters(9'499 - session.used().tokens.count, 'u')));
    CHECK_FALSE(session.prepare().changed());
    session.push(A("."));
    CHECK(session.prepare().changed());
    CHECK(session.things.calls == 1);
    auto const request = sent(session);
    CHECK(laws::words(request[0]) == "You are terse.");
    CHECK(request[1] == session.history()[1]);
    CHECK(laws::words(request[2]).find("What came before, in short.") != std::string::npos);
    std::uint64_t tail = 0;
    for (std::size_t index = 3; index < request.size(); ++index) tail += laws::words(request[index]).size();
    CHECK((tail > 0 && tail <= 3'000));
    CHECK((session.statistics().layers[3].events == 1 && session.statistics().saved().count > 6'000));
    CHECK(session.things.recorded().size() == 49);
}

TEST_CASE("progressive: without a model the summary is written by rule", "[row-V5]") {
    staged session{made, 10'000_tokens, {U("Rename the flag everywhere.")}};
    session.things.down = true;
    talk(session, 24, 200);
    CHECK(session.prepare().changed());
    CHECK(session.things.calls == 1);
    CHECK((session.statistics().layers[3].failures == 1 && session.statistics().layers[4].events == 1));
    CHECK(sent_text(session, 0).find("Rename the flag everywhere.") != std::string::npos);
    CHECK(session.used().fits());
}
