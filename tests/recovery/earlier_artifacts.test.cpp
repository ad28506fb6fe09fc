// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/earlier_artifacts.hpp>

#include <set>

#include <condense/plan/context.hpp>

#include "recovery/desk.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::artifact, condense::store_error;
using artifacts = condense::artifact_list<per_byte>;

/// The texts of a list as they are read now, by id.
std::map<std::string, std::string> texts_of(artifacts const& list) {
    std::map<std::string, std::string> all;
    auto const every = [](std::size_t) { return true; };
    auto const keep = [&](std::size_t index, std::string_view text) {
        CHECK(all.emplace(list.all()[index].id, text).second);
    };
    list.read(condense::plan_request::wanted_texts{every}, condense::plan_request::text_sink{keep});
    return all;
}
std::optional<std::string> text_of(artifacts const& list, std::size_t wanted) {
    std::optional<std::string> found;
    auto const one = [&](std::size_t index) { return index == wanted; };
    auto const keep = [&](std::size_t index, std::string_view text) {
        CHECK(index == wanted);
        found.emplace(text);
    };
    list.read(condense::plan_request::wanted_texts{one}, condense::plan_request::text_sink{keep});
    return found;
}
std::string ids_of(artifacts const& list) {
    std::string ids;
    for (auto const& each : list.all()) ids.append(ids.empty() ? "" : " ").append(each.id);
    return ids;
}
bool has_distinct_ids(artifacts const& list) {
    std::set<std::string> ids;
    for (auto const& each : list.all()) ids.insert(each.id);
    return ids.size() == list.size();
}

/// The list has all results of the session, the last of them as the newest.
void check(desk const& things, artifacts const& list) {
    auto const& results = things.results;
    REQUIRE(list.size() == results.size());
    auto const texts = texts_of(list);
    REQUIRE(texts.size() == results.size());
    for (std::size_t index = 0; index < results.size(); ++index) {
        auto const& each = list.all()[index];
        CHECK(texts.at(each.id) == results[index]);
        CHECK(each.id == "r" + std::to_string(4 * index + 2) + ".0");
        CHECK(each.source == "turn " + std::to_string(index + 1) + ": shell");
        CHECK(each.kind == condense::artifact_kind::tool_result);
        CHECK(each.size.count == results[index].size());
        CHECK(each.cost.count == results[index].size());
        CHECK(each.preview == condense::printable(results[index], 240));
        CHECK(each.arrived == 4 * index + 2);
        CHECK(each.historical == (index + 1 < results.size()));
        CHECK_FALSE(each.error);
    }
    CHECK(text_of(list, results.size() / 2) == results[results.size() / 2]);
}

/// A journal of these contents, in conversation "c".
condense::memory_journal recorded(conversation const& messages, std::string_view id = "c") {
    condense::memory_journal const journal;
    std::uint64_t number = 0;
    for (auto const& m : messages) {
        auto const content = condense::to_bytes(m);
        CHECK_FALSE(journal.append(id, {journal.name(content), number++}, content));
    }
    return journal;
}

/// A journal, or a store, that ends with an error.
struct failing_journal : condense::memory_journal {
    failing_journal() : condense::memory_journal{} {}
    store_error read(std::string_view id, auto&& f) const {
        if (auto const problem = memory_journal::read(id, f)) return problem;
        return {"the disk is gone"};
    }
};
struct failing_store : condense::memory_store {
    failing_store() : condense::memory_store{} {}
    store_error each_source(auto&&) const { return {"the disk is gone"}; }
};

}  // namespace

TEST_CASE("earlier_artifacts: of a session") {
    desk things;
    artifacts list;
    SECTION("the results of a session, also shortened, dropped and released ones") {
        auto session = things.open();
        things.work(session, 0, 100);
        REQUIRE(sent(session).size() < 300);
        REQUIRE_FALSE(condense::add_results(list, session));
        check(things, list);
        REQUIRE(release_all(session) > 50);
        check(things, list);  // the same list reads them from the journal now
        artifacts later;
        REQUIRE_FALSE(condense::add_results(later, session));
        check(things, later);
        CHECK(session.history().size() < 400);
    }
    SECTION("the results of a journal alone") {
        {
            auto session = things.open();
            things.work(session, 0, 100);
            auto other = things.open("other");
            for (auto const& m : {U("u"), C("x", "spy"), R("x", "of another conversation")}) other.push(m);
        }
        REQUIRE_FALSE(condense::add_recorded<chat_message>(list, things.journal, "logs"));
        check(things, list);
        artifacts none;
        CHECK_FALSE(condense::add_recorded<chat_message>(none, things.journal, "log"));
        CHECK_FALSE(condense::add_recorded<chat_message>(none, things.journal, ""));
        CHECK(none.size() == 0);
        CHECK_FALSE(condense::add_recorded<chat_message>(none, things.journal, "other"));
        REQUIRE(none.size() == 1);
        CHECK(none.all()[0].source == "turn 1: spy");
        CHECK_FALSE(none.all()[0].historical);
    }
    SECTION("what was released and is not in the journal is an error, after what was before it") {
        auto first = things.open();
        things.work(first, 0, 120);
        REQUIRE(release_all(first) > 50);
        auto saved = first.state();
        REQUIRE_FALSE(saved.error);
        // This state beside a journal that has lost its end.
        desk other;
        std::uint64_t kept = 0;
        CHECK_FALSE(things.journal.read("logs", [&](condense::journal_entry const& entry, std::string_view content) {
            if (entry.is_derived || ++kept > 11) return;
            CHECK_FALSE(other.journal.append("logs", entry, content));
        }));
        auto second = other.open();
        REQUIRE_FALSE(second.adopt(std::move(saved.state)));
        auto const problem = condense::add_results(list, second);
        CHECK(std::string_view{problem.reason} == "the journal does not hold message 11");
        CHECK(ids_of(list) == "r2.0 r6.0 r10.0");
        for (auto const& each : list.all()) CHECK(each.historical);
        CHECK(text_of(list, 2) == things.results[2]);
    }
    SECTION("a question finds what an earlier turn has read") {
        auto session = things.open();
        things.work(session, 0, 3);
        things.push(session, {U("read the settings"), C("s", "read"),
                              R("s", letters(2'000, 'y') + "\nthe port of the proxy is 8080\n" + letters(2'000, 'z')),
                              A("read")});
        things.work(session, 3, 100);
        REQUIRE(release_all(session) > 50);
        REQUIRE_FALSE(condense::add_results(list, session));
        auto const made = condense::plan_context{}(
            list, {.question = "Which port does the proxy listen on?", .budget = 12'000_tokens});
        CHECK(made.used <= 12'000_tokens);
        CHECK(made.text.find("the port of the proxy is 8080") != std::string::npos);
        CHECK(made.records[3].source == "turn 4: read");
        CHECK(made.records[3].priority == 1);
    }
}

TEST_CASE("earlier_artifacts: of journals and stores") {
    artifacts list;
    SECTION("what a store keeps for a conversation") {
        condense::memory_store const store;
        auto const put = [&](std::string_view text, std::string conversation, std::string tool, std::uint64_t time) {
            CHECK_FALSE(store.put(store.name(text), text,
                                  {.conversation = std::move(conversation), .tool = std::move(tool), .time = time}));
            return store.name(text).text();
        };
        auto const second = put("{\"a\": 1}", "c", "read\x1B\n" + letters(500), 20);
        auto const first = put("the first", "c", "", 10);
        auto const third = put("the third", "c", "shell", 30);
        put("of another", "d", "shell", 5);
        put("of nobody", "", "shell", 5);
        put("the third", "d", "shell", 1);  // of both
        REQUIRE_FALSE(condense::add_stored(list, store, "c"));
        CHECK(ids_of(list) == first + " " + second + " " + third);
        CHECK(texts_of(list) ==
              std::map<std::string, std::string>{{first, "the first"}, {second, "{\"a\": 1}"}, {third, "the third"}});
        CHECK(list.all()[0].source == "earlier: a tool");
        CHECK(list.all()[1].source == "earlier: read  " + letters(114) + "...");
        CHECK(list.all()[1].type == "json");
        CHECK(list.stored(1).text() == second);
        std::uint64_t arrived = 0;
        for (auto const& each : list.all()) {
            CHECK(each.historical);
            CHECK(each.arrived == arrived++);
        }
    }
    SECTION("a store adds only what the list does not have") {
        condense::memory_store const store;
        for (std::string_view const text : {"the first", "the second", "the third"})
            CHECK_FALSE(store.put(store.name(text), text, {.conversation = "c", .tool = "shell"}));
        REQUIRE_FALSE(list.attach({.id = store.name("the second").text()}, store, "c"));
        REQUIRE_FALSE(
            condense::add_recorded<chat_message>(list, recorded({U(), C("1"), R("1", "the third"), A()}), "c"));
        REQUIRE_FALSE(condense::add_stored(list, store, "c"));
        CHECK(ids_of(list) == "d1 r2.0 " + store.name("the first").text());
        REQUIRE_FALSE(condense::add_stored(list, store, "c"));
        CHECK(list.size() == 3);
        CHECK(list.all()[2].arrived == 3);
    }
    SECTION("turns, tools and errors") {
        auto const journal = recorded({S("rules"), U("first"), CC("1", "2"), RR("1", "2"), A(), R("1", "late"),
                                       U("second"), C("1", "other"),  // the id again
                                       R("1", "denied", part_status::error), R("9", "of no call"),
                                       joined(U("and with a result"), R("1", "beside words")), A(), U("third"),
                                       C("3", "shell"), R("3", "now")});
        REQUIRE_FALSE(condense::add_recorded<chat_message>(list, journal, "c"));
        std::string spelt;
        for (auto const& each : list.all())
            spelt +=
                each.id + ", " + each.source + (each.historical ? ", earlier" : "") + (each.error ? ", error\n" : "\n");
        CHECK(spelt ==
              "r3.0, turn 1: t, earlier\n"
              "r3.1, turn 1: t, earlier\n"
              "r5.0, turn 1: t, earlier\n"
              "r8.0, turn 2: other, earlier, error\n"
              "r9.0, turn 2: a tool, earlier\n"
              "r10.1, turn 2: other, earlier\n"
              "r14.0, turn 3: shell\n");
        CHECK(text_of(list, 5) == "beside words");
    }
    SECTION("no two artifacts of a list have one id") {
        auto const first = recorded({U(), C("1"), R("1", "one"), A()});
        auto const second = recorded({U(), C("1"), R("1", "two"), A(), C("2"), R("2", "three")});
        REQUIRE_FALSE(condense::add_recorded<chat_message>(list, first, "c"));
        REQUIRE_FALSE(condense::add_recorded<chat_message>(list, second, "c"));
        REQUIRE_FALSE(condense::add_recorded<chat_message>(list, first, "c"));
        CHECK(ids_of(list) == "r2.0 r2.0-2 r5.0 r2.0-3");
        CHECK(texts_of(list) == std::map<std::string, std::string>{
                                    {"r2.0", "one"}, {"r2.0-2", "two"}, {"r5.0", "three"}, {"r2.0-3", "one"}});
        desk things;
        auto session = things.open();
        things.work(session, 0, 3);
        REQUIRE_FALSE(condense::add_results(list, session));
        CHECK(list.size() == 7);
        CHECK(has_distinct_ids(list));
        CHECK(texts_of(list).size() == 7);
    }
    SECTION("errors of journals and stores are passed on") {
        failing_journal journal;
        static_cast<condense::memory_journal&>(journal) = recorded({U(), C("1"), R("1", "one"), A()});
        CHECK(std::string_view{condense::add_recorded<chat_message>(list, journal, "c").reason} == "the disk is gone");
        CHECK(ids_of(list) == "r2.0");
        CHECK(std::string_view{condense::add_stored(list, failing_store{}, "c").reason} == "the disk is gone");
        CHECK(list.size() == 1);
    }
    SECTION("other contents than messages are passed over, and numbers may be any") {
        condense::memory_journal const journal;
        auto const add = [&](std::uint64_t number, std::string const& content, bool made = false) {
            CHECK_FALSE(journal.append("c", {journal.name(content), number, made}, content));
        };
        auto const one = condense::to_bytes(R("1", "one"));
        auto const two = condense::to_bytes(R("1", "two"));
        add(0, "no message");
        add(1, one);
        add(1, one);  // a failed append may have been written, too
        add(1, two);
        add(2, "", true);
        add(~std::uint64_t{0}, one);
        for (std::size_t size = 0; size < one.size(); ++size) add(7, one.substr(0, size));
        for (std::size_t at = 0; at < one.size(); ++at) {
            auto damaged = one;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
            add(8, damaged);
        }
        REQUIRE_FALSE(condense::add_recorded<chat_message>(list, journal, "c"));
        REQUIRE(list.size() >= 3);
        CHECK(list.all()[0].id == "r1.0");
        CHECK(list.all()[1].id == "r1.0-2");
        CHECK(list.all()[2].id == "r18446744073709551615.0");
        CHECK(has_distinct_ids(list));
        CHECK(texts_of(list).size() == list.size());
        CHECK(text_of(list, 1) == "two");
    }
    SECTION("names of tools are on one line, and bytes of results are kept") {
        std::string const bytes{"\xFF\x00\x1B[2J\r\n</artifact>", 19};
        REQUIRE_FALSE(condense::add_recorded<chat_message>(
            list, recorded({U(), C("1", "a\nb\x1B\xFF" + letters(1'000'000)), R("1", bytes)}), "c"));
        REQUIRE(list.size() == 1);
        CHECK(list.all()[0].source == "turn 1: a b \xEF\xBF\xBD" + letters(115) + "...");
        CHECK(text_of(list, 0) == bytes);
    }
}
