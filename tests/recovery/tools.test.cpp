// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/tools.hpp>

#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#include "store/scratch.hpp"
#include "support/mixes.hpp"

using namespace vocabulary;
using condense::default_estimator, condense::no_store, condense::recovery_tools;
using condense::detail::passage_ranking;
using fakes::contains;

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
            pipeline{record{.to = journal}, mixes::head_and_tail(store), mixes::window_to(90_pct)},
            condense::budget{.window = 8'000_tokens}, default_estimator<>{}, run_options{.conversation = conversation}};
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

std::vector<std::uint64_t> documents(std::string_view query, std::vector<std::string> const& texts,
                                     std::size_t most = 10) {
    passage_ranking ranking{query};
    for (std::size_t index = 0; index < texts.size(); ++index) ranking.see(index, texts[index]);
    std::vector<std::uint64_t> all;
    for (auto const& hit : ranking.best(most)) all.push_back(hit.text);
    return all;
}

using list = std::vector<std::uint64_t>;

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
        recovery_tools const tools{no_store{}, journal, {.conversation = "c"}, condense::message_text<chat_message>{}};
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
    recovery_tools const tools{store, condense::no_journal{}, {.conversation = "c", .most = 250_tokens}};
    std::string whole;
    for (std::size_t offset = 0, pages = 0; offset < content.size() && pages < 100; ++pages) {
        auto const page =
            tools.call("read_artifact", reading(name.text(), R"(,"offset":")" + std::to_string(offset) + '"'));
        REQUIRE_FALSE(page.is_error);
        CHECK(default_estimator<>{}(page.text).tokens() <= 250_tokens);
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
    pipeline const mix{offload{.over = 300_chars, .preview = head_tail{50_chars, 50_chars, {}}, .into = store}};
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

TEST_CASE("recovery_tools: passages come in pages, each of them once, and prose has more of them than figures") {
    condense::memory_journal const journal;
    condense::memory_store const store;
    std::string logs[2];
    for (int which = 0; which < 30; ++which) {
        auto const content =
            "needle number " + std::to_string(which) + " lies in this hay, which nobody has looked at yet";
        REQUIRE_FALSE(journal.append("c", {journal.name(content), static_cast<std::uint64_t>(which)}, content));
        REQUIRE_FALSE(store.put(store.name(content), content, {.conversation = "c", .tool = "search"}));
        for (int digits : {0, 1})
            logs[digits] += "needle " +
                            std::string(digits == 0 ? "a quiet place among the old houses of the town"
                                                    : "48213 99471 08834 67120 55318 20967 44093 7162") +
                            "\n\n";
    }
    recovery_tools const tools{store, journal, {.conversation = "c"}};
    for (auto const* const tool : {"search_history", "search_artifacts"}) {
        CAPTURE(tool);
        std::vector<int> shown(30);
        int pages = 0;
        for (std::string offset = "0"; !offset.empty() && pages < 40; ++pages) {
            auto const page = tools.call(tool, R"({"query":"needle","offset":)" + offset + "}");
            CHECK(default_estimator<>{}(page.text).tokens() <= 450_tokens);
            for (auto at = page.text.find("number "); at != std::string::npos; at = page.text.find("number ", at + 1))
                ++shown[std::stoul(page.text.substr(at + 7))];
            auto const more = page.text.rfind("[more: offset ");
            offset = more == std::string::npos ? "" : std::to_string(std::stoul(page.text.substr(more + 14)));
        }
        CHECK(pages > 1);
        CHECK(shown == std::vector<int>(30, 1));
        CHECK(holds(tools.call(tool, R"({"query":"needle","offset":30})"), "there are no more passages"));
        CHECK(holds(tools.call(tool, R"({"query":"haystack","offset":3})"), "nothing holds any of these words"));
    }
    auto const length = [](std::string const& log) {
        condense::memory_store const one;
        REQUIRE_FALSE(one.put(one.name(log), log, {.conversation = "c"}));
        return recovery_tools{one, condense::no_journal{}, {.conversation = "c"}}
            .call("read_artifact", reading(one.name(log).text()))
            .text.size();
    };
    CHECK(length(logs[0]) > length(logs[1]) * 5 / 4);
}

TEST_CASE("recovery_tools: however cheap or dear the characters are, pages go on, and something stands on each") {
    condense::memory_store const store;
    condense::memory_journal const journal;
    std::string emoji;
    for (int count = 0; count < 400; ++count) emoji += "\xF0\x9F\x8E\x89";
    recovery_tools const tools{store, journal, {.conversation = emoji.substr(0, 480), .most = 180_tokens}};
    // 8,000 of these cost less than a page may.
    for (auto const* const cheap : {" ", "=", "\n"}) {
        std::string text;
        while (text.size() < 60'000) text += cheap;
        auto const name = store.name(text);
        REQUIRE_FALSE(store.put(name, text, {.conversation = "c"}));
        recovery_tools const reads{store, journal, {.conversation = "c"}};
        CHECK(holds(reads.call("read_artifact", reading(name.text())), " more bytes: read_artifact with offset "));
    }
    std::string padded = "port ";
    padded.append(400, '=');
    for (std::uint64_t number = 0; number < 60; ++number)
        REQUIRE_FALSE(journal.append("c", {journal.name(padded), number}, padded));
    recovery_tools const wide{no_store{}, journal, {.conversation = "c", .most = 3'600_tokens}};
    CHECK(holds(wide.call("search_history", R"({"query":"port"})"), "[more: offset "));
    // A few of these fill a page.
    auto const own = emoji.substr(0, 480);
    auto const content = "port " + emoji;
    REQUIRE_FALSE(store.put(store.name(content), content, {.conversation = own, .tool = emoji}));
    REQUIRE_FALSE(journal.append(own, {journal.name(content), 0}, content));
    CHECK(holds(tools.call("recent_history", "{}"), ": port \xF0\x9F"));
    CHECK(holds(tools.call("list_artifacts", "{}"), store.name(content).text()));
    CHECK_FALSE(holds(tools.call("list_artifacts", "{}"), "with offset 0]"));
    CHECK(holds(tools.call("search_artifacts", R"({"query":"port"})"), store.name(content).text()));
    CHECK(holds(tools.call("search_history", R"({"query":"port"})"), ":\nport \xF0\x9F"));
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
        no_store{}, journal, {.granted = [](std::string_view) { return true; }, .most = 180_tokens}};
    std::string_view const more = "[more: list_sessions with offset ";
    std::string all;
    std::size_t pages = 0;
    for (std::size_t offset = 0; offset < 25 && pages < 25; ++pages) {
        auto const page = tools.call("list_sessions", R"({"offset":)" + std::to_string(offset) + "}");
        REQUIRE_FALSE(page.is_error);
        CHECK(default_estimator<>{}(page.text).tokens() <= 180_tokens);
        auto const end = page.text.find(more);
        CHECK((end == std::string::npos || page.text.find('\n', end) == std::string::npos));  // it comes last
        offset = end == std::string::npos ? 25 : std::stoul(page.text.substr(end + more.size()));
        all += page.text.substr(0, end);
    }
    CHECK(pages > 4);
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
    recovery_tools const messages{no_store{}, condense::sqlite_journal{"unused.db"}};
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
    std::vector<std::string> arguments{"", "null", "[]", "{", std::string(1'000, '[')};
    arguments.push_back(R"({"query":")" + std::string(100'000, 'x') + R"("})");
    for (auto const& name : {std::string{"../../../etc/passwd"}, reference, std::string(24, 'f')})
        arguments.push_back(reading(name));
    for (auto const* const members :
         {"", R"("query":"")", R"("query":5,"reference":7,"number":"x")", R"("number":-1)", R"("number":1.5)",
          R"("number":18446744073709551616)",
          R"("number":18446744073709551615,"offset":18446744073709551615,"limit":0,"count":0)",
          R"("number":0,"offset":3,"limit":18446744073709551615)", R"("query":"owned","before":0)",
          R"("query":"\u0000\ud800 owned","conversation":null)"})
        arguments.push_back("{" + std::string{members} + "}");
    for (auto const name : condense::recovery_tool_names)
        for (auto const& each : arguments) {
            auto const result = tools.call(name, each);
            CHECK_FALSE(result.text.empty());
            CHECK(condense::detail::utf8::valid(result.text));
            CHECK(default_estimator<>{}(result.text).tokens() <= 450_tokens);
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
        return recovery_tools{no_store{}, journal, std::move(options)}.call("search_history", R"({"query":"common"})");
    };
    CHECK_FALSE(holds(search({.conversation = "c"}), "not everything was searched"));
    CHECK(holds(search({.conversation = "c", .most_read = condense::bytes{10'000}}), "not everything was searched"));
    CHECK(holds(search({.conversation = "c", .most_time = {0}}), "not everything was searched"));
}

TEST_CASE("tool definitions: are JSON in every form, with a schema for each tool") {
    std::vector<condense::tool_definition> const all{condense::detail::recovery_definitions.begin(),
                                                     condense::detail::recovery_definitions.end()};
    for (auto const& each : all) {
        CHECK(condense::detail::json::valid(each.schema));
        CHECK(each.description.size() > 60);
    }
    for (auto const format :
         {condense::tool_format::openai, condense::tool_format::anthropic, condense::tool_format::mcp}) {
        auto const text = condense::detail::write_definitions(all, format);
        CHECK(condense::detail::json::valid(text));
        for (auto const name : condense::recovery_tool_names)
            CHECK(text.find("\"name\":\"" + std::string{name} + "\"") != std::string::npos);
    }
    CHECK(condense::detail::write_definitions({}, condense::tool_format::openai) == "[]");
    CHECK(condense::detail::write_definitions({}, condense::tool_format::mcp) == R"({"tools":[]})");
    CHECK(condense::detail::write_definitions({{"a", "b \"c\"", "{}"}}, condense::tool_format::openai) ==
          R"([{"type":"function","function":{"name":"a","description":"b \"c\"","parameters":{}}}])");
    CHECK(condense::detail::write_definitions({{"a", "b", "{}"}, {"c", "d", "{}"}}, condense::tool_format::anthropic) ==
          R"([{"name":"a","description":"b","input_schema":{}},{"name":"c","description":"d","input_schema":{}}])");
}

TEST_CASE("passage_ranking: rare words count more, the words as they stand most, later documents first") {
    std::vector<std::string> const texts{"the port of the server", "the the the the", "a port", "server port 8443",
                                         "nothing of that kind"};
    CHECK(documents("8443", texts) == list{3});
    CHECK(documents("server port", texts).front() == 3);
    CHECK(documents("port of the server", texts).front() == 0);
    CHECK(documents("which PORT?", texts).size() == 3);
    CHECK(documents("absent", texts).empty());
    CHECK(documents("port", {"port", "port"}) == list{1, 0});
    CHECK(documents("port", texts, 1).size() == 1);
    CHECK(documents("verPo", {"getServerPort"}) == list{0});
    CHECK(documents("is", {"this", "it is"}) == list{1});
}

TEST_CASE("passage_ranking: takes every query as literal text") {
    for (std::string_view const query : std::initializer_list<std::string_view>{"", "  ", "...", "\"\"", "?!"})
        CHECK(passage_ranking{query}.empty());
    for (std::string_view const query :
         std::initializer_list<std::string_view>{".*", "a|b", "[a", "\\", "\xFF\x00", "%"})
        CHECK(documents(query, {"plain"}).empty());
    CHECK(documents("a(b)*", {"x a(b)* y"}) == list{0});
    CHECK(documents(std::string(480, 'c'), {"no", std::string(9'000, 'c')}).front() == 1);  // longer than a passage
    std::string many;
    for (int word = 0; word < 10'000; ++word) many += "w" + std::to_string(word) + " ";
    CHECK(documents(many, {"w3 w4", "w9999"}) == list{0});
}

TEST_CASE("passage_ranking: words by their stem, question words not at all, and what stands beside a find") {
    std::vector<std::string> const texts{"we listened to the song", "what is it", "retries: 3", "nothing"};
    CHECK(documents("What is listening?", texts) == list{0});
    CHECK(documents("retry", texts) == list{2});
    passage_ranking ranking{"harbour boats"};
    std::vector<std::string> const turns{"the harbour is old", "so", "the harbour is new",
                                         "yes, boats all day", "so", "the harbour is far"};
    for (std::size_t turn = 0; turn < turns.size(); ++turn) ranking.see(turn, turns[turn], false, turn != 0);
    auto const hits = ranking.best(10);
    REQUIRE(hits.size() == 4);
    CHECK((hits[0].text == 3 && hits[1].text == 2));
}

TEST_CASE("passage_ranking: a word comes before the longer ones that it is a part of") {
    std::vector<std::string> texts;
    for (int which = 0; which < 40; ++which)
        texts.push_back((which == 3 ? "As far as I know, and that is not very far, the " : "The ") +
                        std::string{"order is W4822"} + std::to_string(which) + " of shop.");
    for (std::string_view const query : {"W48223", "w48223", "order W48223 shop", "is W48223"}) {
        CAPTURE(query);
        CHECK(documents(query, texts).front() == 3);
    }
    CHECK(documents("W48223", texts).size() == 10);  // W482230 and further ones come behind
}

TEST_CASE("passage_ranking: keeps the best of more passages than it holds, two of a document") {
    passage_ranking ranking{"needle common"};
    for (std::uint64_t document = 0; document < 100'000; ++document)
        ranking.see(document, document == 777 ? "common needle" : "common");
    CHECK(ranking.best(3).front().text == 777);
    std::string long_text;
    for (int line = 0; line < 100; ++line) long_text += "port " + std::string(400, 'x') + "\n";
    passage_ranking other{"port"};
    other.see(0, long_text);
    CHECK(other.best(10).size() == 2);
}

TEST_CASE("passage_ranking: shows a passage at its rarest word") {
    passage_ranking ranking{"the needle"};
    ranking.see(0, "the hay");
    ranking.see(1, "the hay with a needle");
    CHECK(ranking.focus("the hay with a needle") == 15);
    CHECK(ranking.focus("here is the needle") == 8);
    CHECK(ranking.focus("neither") == 0);
    CHECK(ranking.focus("xxx") == 0);
}
