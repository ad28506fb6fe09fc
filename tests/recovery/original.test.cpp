// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/original.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "support/catch.hpp"

using namespace condense::literals;
using condense::chat_message;
using condense::used;

namespace {

/// A session that records and stores, and all that was pushed.
struct desk {
    condense::memory_store store = condense::memory_store{};
    condense::memory_journal journal = condense::memory_journal{};
    std::vector<chat_message> all = {};

    auto mix() const {
        return condense::pipeline{
            condense::record{.to = journal},
            condense::offload{
                .over = 1'000_chars, .preview = condense::head_tail{100_chars, 100_chars, {}}, .into = store},
            condense::sliding_window{.when = used >= 90_pct, .until = used <= 50_pct}};
    }
    auto open(std::vector<chat_message> first = {}) const {
        return condense::session{std::move(first),
                                 mix(),
                                 condense::budget{.window = 8'000_tokens},
                                 {},
                                 condense::run_options{.conversation = "logs"}};
    }
    void work(auto& session, int from, int to) {
        for (int turn = from; turn < to; ++turn) {
            auto const id = std::to_string(turn);
            for (auto const& m : {chat_message::user("turn " + id), chat_message::call(id, "shell", "{}"),
                                  chat_message::result(id, std::string(static_cast<std::size_t>(turn * 50), 'x') + id),
                                  chat_message::assistant("done " + id)}) {
                session.push(m);
                all.push_back(m);
            }
            static_cast<void>(session.prepare());
        }
    }
    void check_original(auto& session) const {
        std::size_t next = 0;
        bool same = true;
        CHECK_FALSE(condense::restore_original(session, [&](chat_message const& m) {
            same = same && next < all.size() && condense::to_bytes(m) == condense::to_bytes(all[next]);
            ++next;
        }));
        CHECK(same);
        CHECK(next == all.size());
    }
};

}  // namespace

TEST_CASE("restore_original: gives what was pushed, from memory and from the journal", "[law-6][row-X4]") {
    desk things;
    auto session = things.open();
    things.check_original(session);
    things.work(session, 0, 120);
    CHECK(session.request().size() < things.all.size());
    things.check_original(session);
    CHECK(session.release(condense::sequence{session.outline().size()}) > 50);
    CHECK(session.history().size() < things.all.size());
    things.check_original(session);
    things.work(session, 120, 140);
    things.check_original(session);
}

TEST_CASE("restore_original: after a restart, from the saved state and the journal", "[law-6][row-X4]") {
    desk things;
    auto first = things.open();
    things.work(first, 0, 120);
    CHECK(first.release(condense::sequence{first.outline().size()}) > 50);
    auto saved = first.state();
    REQUIRE_FALSE(saved.error);
    auto second = things.open();
    REQUIRE_FALSE(second.adopt(std::move(saved.state)));
    things.work(second, 120, 130);
    things.check_original(second);
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
    CHECK(first.release(condense::sequence{first.outline().size()}) > 50);
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
    session.push(chat_message::user("task"));
    session.push(chat_message::call("1", "shell", "{}"));
    session.push(chat_message::result("1", std::string(6'000, 'x')));
    session.push(chat_message::call("2", "shell", "{}"));
    session.push(chat_message::result("2", std::string(80'000, 'y')));
    session.push(chat_message::assistant("done"));
    auto const text_at = [&](std::size_t place) {
        std::size_t index = 0;
        for (auto const& m : session.request())
            if (index++ == place) return m.parts[0].text;
        return std::string{};
    };
    REQUIRE(text_at(2).size() < 1'000);
    auto const before = session.used();
    CHECK(condense::expand(session, things.store.name(std::string(80'000, 'y'))) == condense::refusal::no_room);
    CHECK(condense::expand(session, things.store.name("never put")) == condense::refusal::gone);
    CHECK(condense::expand(session, {}) == condense::refusal::gone);
    CHECK(session.used() == before);
    CHECK(condense::expand(session, things.store.name(std::string(6'000, 'x'))) == condense::refusal::none);
    CHECK(text_at(2) == std::string(6'000, 'x'));
    CHECK(session.used().tokens > before.tokens);
    CHECK(condense::expand(session, things.store.name(std::string(6'000, 'x'))) == condense::refusal::gone);
    CHECK(session.undo());
    CHECK(text_at(2).size() < 1'000);
}

TEST_CASE("expand: an artifact comes back whose message has left", "[row-V10]") {
    condense::memory_store const store;
    condense::session session{
        std::vector<chat_message>{},
        condense::pipeline{
            condense::offload{
                .over = 2'000_chars, .preview = condense::head_tail{100_chars, 100_chars, {}}, .into = store},
            condense::sliding_window{.when = condense::used >= 90_pct, .until = condense::used <= 20_pct}},
        condense::budget{.window = 4'000_tokens}};
    std::string const original(3'000, '\n');
    session.push(chat_message::user("task"));
    session.push(chat_message::call("1", "shell", "{}"));
    session.push(chat_message::result("1", original));
    auto const shows = [&] {
        for (auto const& m : session.request())
            if (m.parts[0].text == original) return true;
        return false;
    };
    for (int turn = 0; session.edits().present(condense::group{1}); ++turn) {
        REQUIRE(turn < 1'000);
        for (auto const* const text : {"So it goes.", "On and on."}) session.push(chat_message::assistant(text));
        session.push(chat_message::user("Go on, please, as long as it takes."));
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
