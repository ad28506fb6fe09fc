// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/original.hpp>

#include "recovery/desk.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using namespace notation;

void check_original(desk const& things, auto& session) {
    std::size_t next = 0;
    bool same = true;
    CHECK_FALSE(condense::restore_original(session, [&](chat_message const& m) {
        same = same && next < things.all.size() && condense::to_bytes(m) == condense::to_bytes(things.all[next]);
        ++next;
    }));
    CHECK(same);
    CHECK(next == things.all.size());
}

}  // namespace

TEST_CASE("restore_original: gives what was pushed, from memory and from the journal", "[law-6][row-X4]") {
    desk things;
    auto session = things.open();
    check_original(things, session);
    things.work(session, 0, 120);
    CHECK(session.request().size() < things.all.size());
    check_original(things, session);
    CHECK(release_all(session) > 50);
    CHECK(session.history().size() < things.all.size());
    check_original(things, session);
    things.work(session, 120, 140);
    check_original(things, session);
}

TEST_CASE("restore_original: after a restart, from the saved state and the journal", "[law-6][row-X4]") {
    desk things;
    auto first = things.open();
    things.work(first, 0, 120);
    CHECK(release_all(first) > 50);
    auto saved = first.state();
    REQUIRE_FALSE(saved.error);
    auto second = things.open();
    REQUIRE_FALSE(second.adopt(std::move(saved.state)));
    things.work(second, 120, 130);
    check_original(things, second);
    std::vector<std::string> recorded;
    CHECK_FALSE(condense::each_original(
        things.journal, "logs",
        [&](condense::journal_entry const&, std::string_view content) { recorded.emplace_back(content); }));
    REQUIRE(recorded.size() == things.all.size());
    for (std::size_t index = 0; index < recorded.size(); ++index)
        CHECK(recorded[index] == condense::to_bytes(things.all[index]));
}

TEST_CASE("restore_original: says which message is missing") {
    desk things;
    auto first = things.open();
    things.work(first, 0, 120);
    CHECK(release_all(first) > 50);
    auto saved = first.state();
    desk empty;
    auto second = empty.open();
    REQUIRE_FALSE(second.adopt(std::move(saved.state)));
    auto const problem = condense::restore_original(second, [](chat_message const&) {});
    CHECK(std::string_view{problem.reason}.starts_with("the journal does not hold message "));
}

TEST_CASE("expand: puts an artifact back if it fits, and nothing for a name that is not there", "[row-V10]") {
    desk things;
    auto session = things.open();
    std::string const small(6'000, 'x');
    std::string const large(80'000, 'y');
    things.push(session, {U("task"), C("1", "shell"), R("1", small), C("2", "shell"), R("2", large), A("done")});
    auto const text_at = [&](std::size_t place) { return words(sent(session).at(place)); };
    REQUIRE(text_at(2).size() < 1'000);
    auto const before = session.used();
    CHECK(condense::expand(session, things.store.name(large)) == condense::refusal::no_room);
    CHECK(condense::expand(session, things.store.name("never put")) == condense::refusal::gone);
    CHECK(condense::expand(session, {}) == condense::refusal::gone);
    CHECK(session.used() == before);
    CHECK(condense::expand(session, things.store.name(small)) == condense::refusal::none);
    CHECK(text_at(2) == small);
    CHECK(session.used().tokens > before.tokens);
    CHECK(condense::expand(session, things.store.name(small)) == condense::refusal::gone);
    CHECK(session.undo());
    CHECK(text_at(2).size() < 1'000);
}

TEST_CASE("expand: an artifact comes back whose message has left", "[row-V10]") {
    condense::memory_store const store;
    condense::session session{conversation{},
                              condense::pipeline{mixes::head_and_tail(store), mixes::window_to(90_pct, 20_pct)},
                              condense::budget{.window = 4'000_tokens}};
    std::string const original(3'000, '\n');
    for (auto const& m : {U("task"), C("1", "shell"), R("1", original)}) session.push(m);
    auto const shows = [&] {
        for (auto const& m : session.request())
            if (m.parts[0].text == original) return true;
        return false;
    };
    for (int turn = 0; session.edits().present(condense::group{1}); ++turn) {
        REQUIRE(turn < 1'000);
        for (auto const& m : {A("So it goes."), A("On and on."), U("Go on, please, as long as it takes.")})
            session.push(m);
        static_cast<void>(session.prepare());
    }
    REQUIRE_FALSE(shows());
    CHECK(condense::expand(session, store.name(original)) == condense::refusal::none);
    CHECK(shows());
    CHECK(condense::expand(session, store.name(original)) == condense::refusal::gone);
}

TEST_CASE("append_markdown: a heading for each message, cut, and nothing ends its block", "[row-V4]") {
    condense::memory_journal const journal;
    auto const add = [&](std::uint64_t number, std::string_view content) {
        CHECK_FALSE(journal.append("c", {journal.name(content), number}, content));
    };
    add(0, "short");
    add(0, "short");
    CHECK_FALSE(journal.append("c", {{}, 1, true}, ""));
    add(1, "```` not the end\n# no heading");
    add(2, std::string(2'500, 'x'));
    std::string text;
    CHECK_FALSE(condense::append_markdown(text, journal, "c"));
    CHECK(text.find("## Message 0") == text.rfind("## Message 0"));
    CHECK(text.find("\n\n```text\nshort\n```\n") != std::string::npos);
    CHECK(text.find("\n`````text\n```` not the end\n# no heading\n`````\n") != std::string::npos);
    CHECK(text.find("\n```text\n" + std::string(2'000, 'x') + "\n```\n\n500 more characters.\n") != std::string::npos);
    std::string other;
    CHECK_FALSE(condense::append_markdown(other, journal, "other"));
    CHECK(other.empty());
}
