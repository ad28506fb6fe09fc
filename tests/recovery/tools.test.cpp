// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/tools.hpp>

#include <initializer_list>

#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#include "store/scratch.hpp"
#include "support/mixes.hpp"

using namespace condense::literals;
using condense::chat_message, condense::recovery_tools;
using fakes::contains;
using notation::C, notation::R, notation::U;

namespace {

bool holds(condense::recovery_result const& result, std::string_view text) { return contains(result.text, text); }
/// Arguments of read_artifact, further ones as they stand in JSON.
std::string reading(std::string_view name, std::string const& more = "") {
    return R"({"reference":")" + std::string{name} + '"' + more + "}";
}

std::string log(int which) {
    std::string text;
    for (int line = 0; line < 200; ++line)
        text += "line " + std::to_string(line) + " of file " + std::to_string(which) +
                (line == 77 && which == 13 ? " port 8443 refused: disk full" : "") + "\n";
    return text;
}

/// A session of 30 logs, each too long for the conversation, and the tools for it.
template <class Store, class Journal>
struct desk {
    Store store;
    Journal journal;

    auto tools(condense::recovery_options options = {.conversation = "logs"}) const {
        return recovery_tools{store, journal, std::move(options), condense::message_text<chat_message>{}};
    }
    void work(std::string const& conversation = "logs") const {
        condense::session session{
            std::vector<chat_message>{},
            condense::pipeline{condense::record{.to = journal}, mixes::head_and_tail(store), mixes::window_to(90_pct)},
            condense::budget{.window = 8'000_tokens}, condense::default_estimator<>{},
            condense::run_options{.conversation = conversation}};
        session.push(U("Read the logs of " + conversation));
        for (int turn = 0; turn < 30; ++turn) {
            session.push(C(std::to_string(turn), "read_log", "{\"n\":" + std::to_string(turn) + "}"));
            session.push(R(std::to_string(turn), log(turn)));
            static_cast<void>(session.prepare());
        }
    }
};

auto in_memory() { return desk{condense::memory_store{}, condense::memory_journal{}}; }
auto in_databases(scratch::folder const& root) {
    return desk{condense::sqlite_store{root / "a.db"}, condense::sqlite_journal{root / "j.db"}};
}

void check_that_tools_find(auto const& things) {
    things.work();
    auto const tools = things.tools();
    auto const history = tools.call("search_history", R"({"query":"disk full"})");
    CHECK_FALSE(history.is_error);
    CHECK(holds(history, "message 28, "));
    CHECK(holds(history, "port 8443 refused: disk full"));
    auto const stored = tools.call("search_artifacts", R"({"query":"which port was refused?"})");
    CHECK(holds(stored, "port 8443 refused: disk full"));
    auto const name = things.store.name(log(13)).text();
    CHECK(holds(stored, name + " offset "));

    auto const offset = stored.text.substr(stored.text.find(" offset ") + 8);
    auto const page = tools.call("read_artifact", reading(name, R"(,"offset":)" + std::to_string(std::stoul(offset))));
    CHECK(holds(page, "port 8443"));
    // The offset is that of the first byte that is shown.
    auto const shown = offset.substr(offset.find(":\n") + 2, 20);
    CHECK(log(13).compare(std::stoul(offset), shown.size(), shown) == 0);
    CHECK(holds(page, "of read_log, "));
    CHECK(holds(tools.call("list_artifacts", "{}"), "30 artifacts\n"));
    CHECK(holds(tools.call("recent_history", R"({"count":3})"), "message 60"));
    CHECK(holds(tools.call("recent_history", R"({"count":3,"before":2})"), "message 0"));
    CHECK(holds(tools.call("read_message", R"({"number":0})"), "user: Read the logs of logs\n"));
}

}  // namespace

TEST_CASE("recovery_tools: find what has left, in memory", "[row-V10][row-A7][row-X13]") {
    check_that_tools_find(in_memory());
}
TEST_CASE("recovery_tools: find what has left, in databases", "[row-V10][row-A7][row-X13]") {
    scratch::folder const root{scratch::memory()};
    auto const things = in_databases(root);
    check_that_tools_find(things);
    auto const sessions = things.tools().call("list_sessions", "");
    CHECK(holds(sessions, "logs (this one), 61 entries, "));
}

TEST_CASE("recovery_tools: what the agent looked up before comes behind where it stands") {
    auto const check = [](auto const& journal) {
        recovery_tools const tools{
            condense::no_store{}, journal, {.conversation = "c"}, condense::message_text<chat_message>{}};
        std::uint64_t number = 0;
        auto const say = [&](chat_message const& m) {
            auto const content = condense::to_bytes(m);
            REQUIRE_FALSE(journal.append("c", {.name = journal.name(content), .number = number++}, content));
        };
        say(U("The port of the gateway is 8443, and the rest of this message is about other things."));
        for (int again = 0; again < 3; ++again) {
            CAPTURE(again);
            std::string const asked = R"({"query":"gateway port"})";
            auto const answer = tools.call("search_history", asked);
            CHECK(answer.text.starts_with("search_history:\nmessage 0, "));
            say(C(std::to_string(again), "search_history", asked));
            say(R(std::to_string(again), answer.text));
        }
        CHECK(holds(tools.call("search_history", R"({"query":"search_history"})"), "message 5, "));
    };
    check(condense::memory_journal{});
    scratch::folder const root{scratch::memory()};
    check(condense::sqlite_journal{root / "j.db"});
}

TEST_CASE("recovery_tools: read page by page, each within its limit, and lose no byte") {
    condense::memory_store const store;
    std::string content;
    int const kind = GENERATE(0, 1, 2, 3);  // text, bytes that continue nothing, all bytes, cut characters
    for (int line = 0; line < 500; ++line) {
        if (kind == 0) content += "\xE2\x82\xAC line " + std::to_string(line) + "\n";
        else if (kind == 1) content += std::string(10, '\x80');
        else if (kind == 2) content += std::string{static_cast<char>(line * 37 % 256), static_cast<char>(line % 256)};
        else content += line % 3 == 0 ? "\xE2\x82" : "\xE2\x82\xAC";
    }
    auto const name = store.name(content);
    REQUIRE_FALSE(store.put(name, content, {.conversation = "c", .tool = "shell"}));
    recovery_tools const tools{store, condense::no_journal{}, {.conversation = "c", .most = 700_chars}};
    std::string whole;
    for (std::size_t offset = 0, pages = 0; offset < content.size() && pages < 100; ++pages) {
        auto const page =
            tools.call("read_artifact", reading(name.text(), R"(,"offset":")" + std::to_string(offset) + '"'));
        REQUIRE_FALSE(page.is_error);
        CHECK(condense::detail::utf8::count(page.text) <= 700);
        auto const begin = page.text.find('\n') + 1;
        auto const end = page.text.rfind("\n[");
        whole += page.text.substr(begin, end - begin);
        auto const next = page.text.rfind(" with offset ");
        offset = page.text.ends_with("[the end]") ? content.size() : std::stoul(page.text.substr(next + 13));
    }
    CHECK(whole == condense::detail::utf8::scrubbed_copy(content));
    CHECK(tools.call("read_artifact", reading(name.text(), R"(,"offset":999999)")).is_error);
    if (kind == 0)
        CHECK(holds(tools.call("read_artifact", reading(name.text(), R"(,"offset":1,"limit":5)")),
                    "\n\xE2\x82\xAC lin\n"));
}

TEST_CASE("recovery_tools: what they return is not offloaded again, whatever the limit", "[row-A2]") {
    condense::memory_store const store;
    condense::pipeline const mix{
        condense::offload{.over = 300_chars, .preview = condense::head_tail{50_chars, 50_chars, {}}, .into = store}};
    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 32'000_tokens}};
    recovery_tools const tools{store};
    auto const run = [&](std::string const& id, std::string const& tool, std::string const& text) {
        session.push(C(id, tool));
        session.push(R(id, text));
        std::string shown;
        for (auto const& m : session.request()) shown = m.parts[0].text;
        return shown;
    };
    session.push(U("task"));
    CHECK(run("1", "shell", log(1)).size() < 300);
    auto const page = tools.call("read_artifact", reading(store.name(log(1)).text()));
    REQUIRE(page.text.size() > 900);
    CHECK(run("2", "read_artifact", page.text) == page.text);
    CHECK(run("3", "mcp__recall__read_artifact", page.text) == page.text);
    CHECK(run("4", "read_artifact", std::string(8'001, 'x')).size() < 300);
    CHECK(run("5", "search_everything", page.text).size() < 300);
    static_cast<void>(session.run());
    CHECK(store.size() == 3);
}

TEST_CASE("recovery_tools: another conversation's past is shown only if it is granted", "[law-H2]") {
    scratch::folder const root{scratch::memory()};
    auto const things = in_databases(root);
    things.work("logs");
    auto const own = "only theirs " + std::string(2'000, '.');
    auto const name = things.store.name(own);
    REQUIRE_FALSE(things.store.put(name, own, {.conversation = "theirs"}));
    REQUIRE_FALSE(things.journal.append("theirs", {things.journal.name("theirs alone"), 0}, "theirs alone"));
    auto const read = reading(name.text());
    auto const theirs = std::string{R"({"query":"theirs","conversation":"theirs","number":0})"};

    auto const tools = things.tools();
    CHECK(tools.call("read_artifact", read).is_error);
    CHECK_FALSE(holds(tools.call("search_artifacts", R"({"query":"theirs"})"), "only theirs"));
    CHECK(holds(tools.call("list_artifacts", "{}"), "30 artifacts"));
    for (auto const* const tool : {"search_history", "read_message", "recent_history"})
        CHECK(tools.call(tool, theirs).text == "error: there is no such conversation");
    CHECK_FALSE(holds(tools.call("list_sessions", "{}"), "theirs"));

    auto const granted =
        things.tools({.conversation = "logs", .granted = [](std::string_view id) { return id == "theirs"; }});
    CHECK(holds(granted.call("read_artifact", read), "only theirs"));
    CHECK(holds(granted.call("search_history", theirs), "theirs alone"));
    CHECK(holds(granted.call("list_sessions", "{}"), "theirs, 1 entries"));
    CHECK(holds(granted.call("list_artifacts", "{}"), "31 artifacts"));
}

TEST_CASE("recovery_tools: many conversations come in pages, each of them once") {
    condense::memory_journal const journal;
    for (std::size_t number = 0; number < 25; ++number) {
        auto const id = "conversation " + std::to_string(number) + std::string(number % 4 == 3 ? 1u : 90u, '.');
        REQUIRE_FALSE(journal.append(id, {.name = journal.name("hello"), .number = 0}, "hello"));
    }
    recovery_tools const tools{
        condense::no_store{}, journal, {.granted = [](std::string_view) { return true; }, .most = 400_chars}};
    std::string_view const more = "[more: list_sessions with offset ";
    std::string all;
    std::size_t pages = 0;
    for (std::size_t offset = 0; offset < 25 && pages < 25; ++pages) {
        auto const page = tools.call("list_sessions", R"({"offset":)" + std::to_string(offset) + "}");
        REQUIRE_FALSE(page.is_error);
        CHECK(page.text.size() <= 400);
        auto const end = page.text.find(more);
        CHECK((end == std::string::npos || page.text.find('\n', end) == std::string::npos));  // it comes last
        offset = end == std::string::npos ? 25 : std::stoul(page.text.substr(end + more.size()));
        all += page.text.substr(0, end);
    }
    CHECK(pages > 5);
    for (int number = 0; number < 25; ++number) {
        auto const line = "conversation " + std::to_string(number) + ".";
        auto const place = all.find(line);
        REQUIRE(place != std::string::npos);
        CHECK(all.find(line, place + 1) == std::string::npos);
    }
    CHECK(tools.call("list_sessions", R"({"offset":25})").text == "there are no more conversations");
}

TEST_CASE("recovery_tools: offer what the store and the journal allow") {
    recovery_tools const artifacts{condense::memory_store{}};
    CHECK(artifacts.definitions().size() == 3);
    CHECK(artifacts.has("read_artifact"));
    CHECK_FALSE(artifacts.has("search_history"));
    CHECK(artifacts.call("search_history", R"({"query":"x"})").text == "error: there is no such tool");
    recovery_tools const messages{condense::no_store{}, condense::sqlite_journal{"unused.db"}};
    CHECK(messages.definitions().size() == 4);
    CHECK_FALSE(messages.has("read_artifact"));
    CHECK(messages.has("list_sessions"));
    CHECK(artifacts.definitions(condense::tool_format::openai).starts_with("[{\"type\":\"function\""));
}

TEST_CASE("recovery_tools: a call of any kind is answered with text of bounded length", "[law-H1][law-H7]") {
    auto const things = in_memory();
    auto const hostile = std::string("\x1B]0;owned\x07\xFF\0", 12);
    REQUIRE_FALSE(things.store.put(things.store.name(hostile), hostile, {.conversation = "logs", .tool = hostile}));
    REQUIRE_FALSE(things.journal.append("logs", {things.journal.name(hostile), 0}, hostile));
    auto const tools = things.tools();
    auto const reference = things.store.name(hostile).text();
    std::vector<std::string> arguments{
        "",
        "null",
        "[]",
        "{",
        "{}",
        R"({"query":""})",
        R"({"query":5,"reference":7,"number":"x"})",
        R"({"number":-1})",
        R"({"number":1.5})",
        R"({"number":18446744073709551616})",
        R"({"number":18446744073709551615,"offset":18446744073709551615,"limit":0,"count":0})",
        R"({"number":0,"offset":3,"limit":18446744073709551615})",
        R"({"query":"owned","before":0})",
        reading("../../../etc/passwd"),
        reading(reference),
        reading(std::string(24, 'f')),
        R"({"query":"\u0000\ud800 owned","conversation":null})",
        R"({"query":")" + std::string(100'000, 'x') + R"("})",
        std::string(1'000, '[')};
    for (auto const name : condense::recovery_tool_names)
        for (auto const& each : arguments) {
            auto const result = tools.call(name, each);
            CHECK_FALSE(result.text.empty());
            CHECK(condense::detail::utf8::valid(result.text));
            CHECK(condense::detail::utf8::count(result.text) <= 1'000);
        }
    CHECK(tools.call("no_such_tool", "{}").is_error);
    CHECK(tools.call("read_message", R"({"number":7})").text == "error: there is no message of this number");
    CHECK(holds(tools.call("search_history", R"({"query":"absent"})"), "nothing holds any of these words"));
}

TEST_CASE("recovery_tools: a search that reads too much says so") {
    condense::memory_journal const journal;
    for (std::uint64_t number = 0; number < 50; ++number) {
        auto const content = std::to_string(number) + " common " + std::string(1'000, '.');
        REQUIRE_FALSE(journal.append("c", {journal.name(content), number}, content));
    }
    auto const search = [&](condense::recovery_options options) {
        return recovery_tools{condense::no_store{}, journal, std::move(options)}.call("search_history",
                                                                                      R"({"query":"common"})");
    };
    CHECK_FALSE(holds(search({.conversation = "c"}), "not everything was searched"));
    CHECK(holds(search({.conversation = "c", .most_read = condense::bytes{10'000}}), "not everything was searched"));
    CHECK(holds(search({.conversation = "c", .most_time = {0}}), "not everything was searched"));
}
