// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/plan.hpp>

#include <condense/layer/plan_memory.hpp>
#include <condense/plan/model_planner.hpp>
#include <condense/policy/known_secrets.hpp>

#include "layer/shared.hpp"
#include "plan/shelf.hpp"
#include "support/canaries.hpp"

namespace {

using namespace layers;
using condense::plan, condense::strategy;

using plan_to_store = decltype(plan{.into = condense::memory_store{}});
static_assert(condense::layer<plan<>> && condense::layer<plan_to_store>);
static_assert(condense::recoverable<pipeline<plan_to_store>> && !condense::recoverable<pipeline<plan<>>>);
static_assert(condense::deterministic<pipeline<plan<>>> && !condense::calls_model<pipeline<plan<>>>);
static_assert(condense::writes<pipeline<plan_to_store>> && !condense::writes<pipeline<plan<>>>);

/// A result of about `size` bytes, every fourth line of it on the topic; the other words are in no other result.
std::string report_on(std::string const& topic, std::size_t size) {
    std::string out;
    for (std::size_t line = 0; out.size() < size; ++line) {
        auto const number = std::to_string(line);
        if (line % 4 == 0) out += "The " + topic + " measures " + number + " at last.\n";
        else out += topic + "a" + number + " " + topic + "b" + number + " " + topic + "c" + number + "\n";
    }
    return out;
}
/// A call with its result, and an answer, by which the round is closed.
conversation fetched(std::string const& id, std::string result) {
    return {C(id, "web_search"), R(id, std::move(result)), A("noted")};
}
/// Rounds in which a report on the volcano is fetched.
conversation volcanoes(int first, int end, std::size_t size) {
    conversation all;
    for (int round = first; round < end; ++round) all += fetched(std::to_string(round), report_on("volcano", size));
    return all;
}
/// Turns in which nothing is fetched.
conversation small_talk(std::size_t count, std::size_t size = 100) {
    conversation all;
    for (std::size_t turn = 0; turn < count; ++turn) all += {U("hm " + letters(size, 'q')), A(letters(size, 'a'))};
    return all;
}

constexpr budget small{.window = 10'000_tokens};
template <class Session>
std::string shown(Session const& session, std::string_view id) {
    return result_in(sent(session), id);
}
bool is_line(std::string_view text) {
    return text.starts_with("[... ") && text.ends_with(" ...]") && text.size() < 193;
}

/// A planner that does what a test says: for each artifact the strategy at its place among `all`, the last one for the
/// rest. Notes what it was shown.
struct scripted {
    struct state {
        std::vector<condense::decision> all = {};
        std::size_t calls = 0;
        std::vector<std::string> ids = {};
        std::vector<std::string> sources = {};
        std::string question = {};
        std::string goal = {};
        condense::tokens budget = {};
        std::function<void()> act = [] {};
        std::string problem = {};
    };
    state* at;

    condense::artifact_plan operator()(condense::plan_request const& request) const {
        ++at->calls;
        at->ids.clear();
        at->sources.clear();
        at->question = request.question;
        at->goal = request.goal;
        at->budget = request.budget;
        at->act();
        condense::artifact_plan made{.problem = at->problem};
        for (auto const& each : request.artifacts) {
            at->ids.push_back(each.id);
            at->sources.push_back(each.source);
            auto next = at->all[(std::min)(made.decisions.size(), at->all.size() - 1)];
            next.artifact = each.id;
            made.decisions.push_back(next);
        }
        return made;
    }
};
constexpr auto whole = strategy::include_full;
constexpr auto out = strategy::exclude;

/// What a model answers costs 1,050 tokens.
fakes::model oracle(std::string answer) {
    return fakes::saying({std::move(answer)}, {.input = {1'000}, .output = {50}});
}
std::string decision_on(std::string_view id, std::string_view what) {
    return "{\"id\": \"" + std::string{id} + "\", \"strategy\": \"" + std::string{what} + "\"}";
}

}  // namespace

TEST_CASE("plan: a question gets the results that it needs, the others leave a line") {
    condense::memory_store const store;
    auto session = opened(plan{.into = store}, small);
    auto const glacier = report_on("glacier", 3'000);
    auto const volcano = report_on("volcano", 3'000);
    push(session, conversation{S("rules"), U("Look around.")} + fetched("1", glacier) + fetched("2", volcano));
    CHECK(shown(session, "1") == glacier);  // nothing is cut before there is a question
    CHECK(shown(session, "2") == volcano);
    session.push(U("What does the glacier measure?"));
    CHECK(shown(session, "1") == glacier);
    CHECK(shown(session, "2") == "[... " + std::string{"3,0"} + shown(session, "2").substr(8));
    CHECK(is_line(shown(session, "2")));
    CHECK(shown(session, "2").find("the whole is stored as " + store.name(volcano).text()) != std::string::npos);
    CHECK(store.get(store.name(volcano)) == volcano);
    CHECK(store.size() == 1);
    push(session, {A("17"), U("And the volcano?")});
    CHECK(shown(session, "2") == volcano);
    CHECK(is_line(shown(session, "1")));
    CHECK(session.used().tokens <= 7'000_tokens);
    CHECK(session.statistics().layers[0].restored.count > 2'500);
    CHECK(session.statistics().layers[0].events == 2);
}

TEST_CASE("plan: what fits stays, byte for byte, and costs no reading", "[law-10]") {
    scripted::state state{.all = {{.strategy = out}}};
    auto session = opened(plan{.with = scripted{&state}}, small);
    push(session, conversation{U("Look around.")} + fetched("1", report_on("glacier", 2'000)) +
                      fetched("2", report_on("volcano", 2'900)));
    auto const before = sent(session);
    session.push(U("What does the glacier measure?"));
    CHECK(sent(session) == before + conversation{U("What does the glacier measure?")});
    CHECK(state.calls == 0);
    CHECK_FALSE(session.run().changed());
    CHECK(session.run().layers[0].note == "nothing to do: all of it fits");
}

TEST_CASE("plan: twenty turns later a result comes back for its question, though its messages were dropped") {
    condense::memory_store const store;
    auto session = opened(pipeline{plan{.into = store}, window_to(60_pct, 30_pct)}, small);
    auto const volcano = report_on("volcano", 2'500);
    push(session, conversation{U("task"), A("yes"), U("Look at the volcano.")} + fetched("1", volcano));
    std::size_t turns = 0;
    for (bool dropped = false; turns < 20 || !dropped; ++turns) {
        push(session, small_talk(1, 150));
        dropped = session.prepare().changed();
    }
    CHECK(turns < 50);
    CHECK(shown(session, "1").empty());
    auto const before = sent(session);
    session.push(U("How is the weather?"));
    CHECK(shown(session, "1").empty());  // there would be room
    push(session, {A("Fine."), U("What was it that the volcano measures?")});
    CHECK(shown(session, "1") == volcano);
    auto const request = sent(session);
    CHECK(request.size() == before.size() + 5);  // with its call, and what came since
    CHECK(request[1].parts[0].call == "1");  // where it was
    CHECK(session.used().tokens <= 7'000_tokens);
    // For another question it is but a line.
    push(session, conversation{A("This and that.")} + fetched("2", report_on("glacier", 1'500)) +
                      conversation{U("And the glacier?")});
    CHECK(is_line(shown(session, "1")));
    CHECK(shown(session, "2") == report_on("glacier", 1'500));
}

TEST_CASE("plan: a group comes back with the message with which a request may begin") {
    auto session = opened(
        pipeline{plan{}, sliding_window{.when = used >= 60_pct, .until = used <= 30_pct, .protect = nothing}}, small);
    auto const volcano = report_on("volcano", 2'500);
    push(session, conversation{U("Look at the volcano.")} + fetched("1", volcano) + small_talk(20, 150));
    CHECK(session.prepare().changed());
    CHECK(text_of(sent(session)[0]) != "Look at the volcano.");
    session.push(U("What does the volcano measure?"));
    CHECK(shown(session, "1") == volcano);
    CHECK(text_of(sent(session)[0]) == "Look at the volcano.");
}

TEST_CASE("plan: nothing comes back for a question that was planned before", "[law-9]") {
    scripted::state state{.all = {{.strategy = whole}}};
    auto session = opened(pipeline{plan{.with = scripted{&state}}, window_to(60_pct, 30_pct)}, small);
    push(session, conversation{U("task")} + fetched("1", report_on("volcano", 2'500)) +
                      fetched("2", report_on("glacier", 2'300)) +
                      conversation{U("What does the volcano measure?"), A(letters(1'500, 'a'))});
    CHECK(session.run().changed());  // the window drops
    CHECK(shown(session, "1").empty());
    auto const request = sent(session);
    auto const calls = state.calls;
    CHECK_FALSE(session.run().changed());
    CHECK(sent(session) == request);
    CHECK(state.calls == calls);
    // The same words are a new question when the user says them again.
    session.push(U("What does the volcano measure?"));
    CHECK(shown(session, "1") == report_on("volcano", 2'500));
}

TEST_CASE("plan: what has no room to come back is noted") {
    scripted::state state{.all = {{.strategy = whole}}};
    condense::plan_log log;
    auto session =
        opened(pipeline{plan{.share = 60_pct, .with = scripted{&state}, .log = log}, window_to(65_pct, 10_pct)}, small);
    push(session, {U("task")});
    // Its call takes so much that the result alone does not fit any more.
    push(session, {C("1", "read", "{\"path\": \"" + letters(4'000, 'p') + "\"}"), R("1", report_on("volcano", 2'000)),
                   A("noted"), U("go on"), A(letters(700, 'a'))});
    CHECK(session.run().changed());
    CHECK(shown(session, "1").empty());
    push(session, {A(letters(2'000, 'a')), U("What does the volcano measure?")});
    CHECK(shown(session, "1").empty());
    auto const& layer = session.statistics().layers[0];
    CHECK(layer.restored.count == 0);
    REQUIRE(log.latest().records.size() == 1);
    CHECK(log.latest().records[0].planned == whole);
    CHECK(log.latest().records[0].done == out);
    CHECK(log.latest().records[0].after == 0_tokens);
    CHECK(log.latest().records[0].problem == "it has no room to come back");
}

TEST_CASE("plan: another question gets other passages, of a result larger than the window, too") {
    condense::memory_store const store;
    auto session = opened(plan{.into = store}, small);
    std::string large;
    for (std::string const topic : {"glacier", "volcano", "estuary", "savanna"}) large += report_on(topic, 12'000);
    push(session,
         conversation{U("Look around.")} + fetched("1", large) + conversation{U("What does the volcano measure?")});
    auto const first = shown(session, "1");
    CHECK(contains(first, "The volcano measures"));
    CHECK(first.size() < 5'000);
    session.push(A("42"));
    session.push(U("How is the weather?"));  // nothing of it answers that
    CHECK(is_line(shown(session, "1")));
    push(session, {A("Fine."), U("What does the estuary measure?")});
    auto const second = shown(session, "1");
    CHECK(contains(second, "The estuary measures"));
    CHECK_FALSE(contains(first, "The estuary measures"));
    CHECK(second.size() > 1'000);
    CHECK(second.find(store.name(large).text()) != std::string::npos);
    CHECK(store.get(store.name(large)) == large);
    CHECK(store.size() == 1);
    CHECK(session.used().fits());
}

TEST_CASE("plan: what is protected, pinned, open or small is left alone") {
    scripted::state state{.all = {{.strategy = out}}};
    auto const mix = pipeline{plan{.protect = tools("read") | last(1_messages) |
                                              [](part_view const& part) { return part.text.starts_with("keep"); },
                                   .with = scripted{&state}}};
    auto session = opened(mix, small);
    push(session,
         {U("task"), C("1", "read"), R("1", letters(1'500, 'a')), C("2", "shell"), R("2", letters(1'500, 'b'))});
    push(session,
         {C("3", "shell"), R("3", "keep" + letters(1'500, 'c')), C("4", "shell"), pinned(R("4", letters(1'500, 'd')))});
    push(session,
         {C("5", "shell"), R("5", letters(1'000, 'e')), C("6", "shell"), R("6", letters(1'001, 'f')), A("noted")});
    session.push(U("question"));
    CHECK(state.ids == std::vector<std::string>{"r4.0", "r12.0"});
    CHECK(state.sources == std::vector<std::string>{"turn 1: shell", "turn 1: shell"});
    for (std::string const id : {"1", "3", "4", "5"}) CHECK(shown(session, id).size() >= 1'000);
    for (std::string const id : {"2", "6"}) CHECK(is_line(shown(session, id)));
    // The round that the model has not read yet.
    push(session, {C("7", "shell"), R("7", letters(4'000, 'g'))});
    CHECK_FALSE(session.run().changed());
    CHECK(state.ids.size() == 2);
    push(session, {A("noted"), U("another")});
    CHECK(state.ids == std::vector<std::string>{"r4.0", "r12.0", "r16.0"});
    // A pin keeps what there is of it.
    CHECK_FALSE(session.pin({16}));
    session.push(A("noted"));
    state.all = {{.strategy = whole}};
    session.push(U("a third"));
    CHECK(state.ids == std::vector<std::string>{"r4.0", "r12.0"});
    CHECK(is_line(shown(session, "7")));
}

TEST_CASE("plan: cancelled and sealed results, and results in a message of the user's own, are left alone") {
    scripted::state state{.all = {{.strategy = out}}};
    conversation messages{joined(U("task"), R("0", letters(1'500, 'a')))};
    messages += {C("1"), R("1", letters(1'500, 'b'), part_status::cancelled), C("2"), R("2", letters(1'500, 'c'))};
    messages += {C("3"), R("3", letters(1'500, 'd'), part_status::error), C("4"),
                 joined(U("question"), R("4", letters(1'500, 'e')))};
    messages += {A("noted")};
    messages[4].parts[0].sealed = true;
    auto const before = messages;
    auto const report = reduced(messages, plan{.with = scripted{&state}}, 8'000_tokens);
    CHECK(state.ids == std::vector<std::string>{"r6.0"});
    CHECK(report.layers[0].parts_shortened == 1);
    CHECK(is_line(result_in(messages, "3")));
    CHECK(messages[6].parts[0].status == part_status::error);
    messages[6] = before[6];
    CHECK(messages == before);
}

TEST_CASE("plan: the question and the goal are those of the options, else of the conversation") {
    scripted::state state{.all = {{.strategy = out}}};
    auto const mix = pipeline{plan{.share = 10_pct, .with = scripted{&state}}};
    conversation messages{U("task")};
    messages += fetched("1", letters(1'500));
    messages +=
        {U("What is it?"), C("2", "look", "{\"at\": 7}"), R("2", "seen"), joined(A("I look."), C("3", "find", "{}"))};
    auto history = messages;
    run(history, mix, 10'000_tokens);
    CHECK(state.question == "What is it?\n");
    CHECK(state.goal == "I look.\n{}\n");
    history = messages;
    condense::run_options<> const options{.request = {.question = "Q", .focus = "F"}};
    static_cast<void>(fakes::reduced(history, mix, {.window = 10'000_tokens}, options));
    CHECK(state.question == "Q");
    CHECK(state.goal == "F");
    // A question that was given is the same for all messages of the user.
    session session{conversation{}, mix, small, per_byte{}, condense::run_options<>{.request = {.question = "Q"}}};
    push(session, conversation{U("task")} + fetched("1", letters(1'500)));
    state.calls = 0;
    push(session, {U("one"), A("yes"), U("two"), A("yes"), U("three")});
    CHECK(state.calls == 1);
    CHECK(state.goal.empty());  // nothing was said since
}

TEST_CASE("plan: results hold no more than their share, whatever the plan says") {
    scripted::state state{.all = {{.strategy = whole, .priority = 9}}};
    for (auto const share : {10u, 30u, 50u}) {
        auto session =
            opened(plan{.share = condense::percent{share * 100}, .with = scripted{&state}}, {.window = 20'000_tokens});
        push(session, {U("task")});
        push(session, volcanoes(0, 10, 1'600));
        session.push(U("What does the volcano measure?"));
        std::size_t size = 0;
        for (int round = 0; round < 10; ++round) size += shown(session, std::to_string(round)).size();
        CAPTURE(share);
        CHECK(state.budget == condense::tokens{share * 200});
        CHECK(size <= share * 200);
        CHECK(size > share * 150);
        CHECK(shown(session, "9").size() > 1'600);  // the newest first
    }
    // Beside much else there is half of what that leaves.
    auto session = opened(plan{.with = scripted{&state}}, small);
    push(session,
         conversation{U("task"), A(letters(7'988, 'a'))} + fetched("1", letters(1'200)) + conversation{U("Well?")});
    CHECK(state.budget.count == 998);
    CHECK(is_line(shown(session, "1")));
}

TEST_CASE("plan: with a trigger it acts where that holds, down to its target") {
    scripted::state state{.all = {{.strategy = whole}}};
    auto session = opened(plan{.when = used >= 70_pct, .share = 90_pct, .with = scripted{&state}}, small);
    push(session, conversation{U("task")} + fetched("1", report_on("volcano", 3'000)) +
                      fetched("2", report_on("glacier", 2'900)) + conversation{U("Well?")});
    CHECK(state.calls == 0);
    CHECK_FALSE(session.prepare().changed());
    push(session, fetched("3", report_on("estuary", 1'500)));
    CHECK(session.prepare().changed());
    CHECK(state.calls == 1);
    CHECK(session.used().tokens <= 5'600_tokens);
    CHECK(shown(session, "3") == report_on("estuary", 1'500));
    CHECK_FALSE(session.run().changed());
    auto targeted = opened(plan{.when = used >= 70_pct, .until = used <= 20_pct, .with = scripted{&state}}, small);
    push(targeted, conversation{U("task")} + fetched("1", report_on("volcano", 7'000)));
    CHECK(targeted.prepare().changed());
    CHECK(targeted.used().tokens <= 2'000_tokens);
}

TEST_CASE("plan: under pressure it makes the room that is asked for") {
    auto session = opened(pipeline{plan{.when = condense::never, .share = 100_pct},
                                   escalate{.when = used >= 90_pct, .until = used <= 40_pct}},
                          small);
    push(session, {U("task")});
    push(session, volcanoes(0, 5, 1'800));
    session.push(U("What does the volcano measure?"));
    for (int round = 0; round < 5; ++round) CHECK(shown(session, std::to_string(round)).size() > 1'800);
    auto const report = session.prepare();
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(session.used().tokens <= 4'000_tokens);
    CHECK(session.used().tokens > 2'000_tokens);
    CHECK_FALSE(session.run().changed());
    // With content that is protected in routine runs only.
    auto const all = [](part_view const&) { return true; };
    auto bound =
        opened(pipeline{plan{.protect = all}, escalate{.when = used >= 90_pct, .until = used <= 40_pct}}, small);
    push(bound, {U("task")});
    push(bound, volcanoes(0, 5, 1'800));
    bound.push(U("Well?"));
    CHECK(shown(bound, "0").size() > 1'800);
    CHECK(bound.prepare().fits());
    CHECK(is_line(shown(bound, "0")));
}

TEST_CASE("plan: a line says where the whole is") {
    scripted::state state{.all = {{.strategy = out}}};
    auto const text = report_on("volcano", 2'000);
    condense::memory_store const store;
    auto const line = [&](auto const& mix) {
        auto session = opened(mix, small);
        push(session,
             conversation{U("task")} + fetched("1", text) + fetched("2", letters(3'500)) + conversation{U("Well?")});
        CHECK(session.history()[2].parts[0].text == text);
        return shown(session, "1");
    };
    auto const bytes = condense::detail::grouped(text.size());
    CHECK(line(pipeline{plan{.with = scripted{&state}}}) == "[... " + bytes + " of " + bytes + " bytes omitted ...]");
    CHECK(line(pipeline{record{.to = condense::memory_journal{}}, plan{.with = scripted{&state}}}) ==
          "[... " + bytes + " of " + bytes + " bytes omitted; the journal holds the whole ...]");
    CHECK(line(pipeline{plan{.with = scripted{&state}, .into = store}}) ==
          "[... " + bytes + " of " + bytes + " bytes omitted; the whole is stored as " + store.name(text).text() +
              " ...]");
    CHECK(line(pipeline{plan{.with = scripted{&state}, .into = store, .words = condense::tool_words}}) ==
          "[... " + bytes + " of " + bytes + " bytes omitted; read_artifact gives the whole of " +
              store.name(text).text() + " ...]");
    // What another layer has stored is there still.
    auto const offloaded = line(pipeline{offload{.over = 1'000_chars, .preview = head{300_chars}, .into = store},
                                         plan{.share = 1_pct, .with = scripted{&state}}});
    CHECK(offloaded.find(store.name(text).text()) != std::string::npos);
}

TEST_CASE("plan: without a plan the newest results that fit stay whole, and the note says why", "[law-7]") {
    scripted::state state{.all = {{.strategy = out}}};
    condense::plan_log log;
    auto const planned = [&] {
        auto messages = conversation{U("task")} + fetched("1", letters(2'000, 'a')) +
                        fetched("2", letters(2'000, 'b')) + fetched("3", letters(2'000, 'c')) +
                        conversation{U("Well?")};
        auto const report = reduced(messages, plan{.with = scripted{&state}, .log = log}, 10'000_tokens);
        CHECK(report.layers[0].outcome == layer_outcome::applied);
        CHECK(report.layers[0].failures == 0);
        CHECK(is_line(result_in(messages, "1")));
        CHECK(result_in(messages, "2") == letters(2'000, 'b'));
        CHECK(result_in(messages, "3") == letters(2'000, 'c'));
        return std::string{std::string_view{report.layers[0].note}};
    };
    state.act = [] { throw std::runtime_error{"no idea"}; };
    CHECK(planned() == "no plan: no idea");
    CHECK(log.latest().problem == "no idea");
    state.act = [] { throw 7; };
    CHECK(planned() == "no plan: the planner threw");
    state.act = [] {};
    state.problem = "too late";
    CHECK(planned() == "no plan: too late");
}

TEST_CASE("plan: a cancellation passes through, and nothing has changed", "[law-12]") {
    scripted::state state{.all = {{.strategy = out}}};
    state.act = [] { throw condense::cancelled{}; };
    auto messages = conversation{U("task")} + fetched("1", letters(6'000)) + conversation{U("Well?")};
    auto const before = messages;
    pipeline const mix{plan{.with = scripted{&state}}};
    CHECK_THROWS_AS(reduced(messages, mix, 10'000_tokens), condense::cancelled);
    CHECK(messages == before);
    // On arrival the message stays, and a later run plans.
    auto session = opened(mix, small);
    push(session, conversation{U("task")} + fetched("1", letters(6'000)));
    CHECK_THROWS_AS(session.push(U("Well?")), condense::cancelled);
    CHECK(sent(session).size() == 5);
    CHECK(shown(session, "1") == letters(6'000));
    state.act = [] {};
    CHECK(session.run().changed());
    CHECK(is_line(shown(session, "1")));
}

TEST_CASE("plan: results beside what comes back are there as they were planned") {
    condense::memory_store const store;
    auto session = opened(pipeline{plan{.into = store}, window_to(50_pct, 20_pct)}, small);
    auto const volcano = report_on("volcano", 1'500);
    auto const glacier = report_on("glacier", 3'000);
    push(session,
         conversation{U("task"), CC("1", "2"), R("1", volcano), R("2", glacier), A("noted")} + small_talk(2, 200));
    CHECK(session.prepare().changed());
    CHECK(shown(session, "1").empty());
    push(session, {A(letters(2'500, 'a')), U("What does the volcano measure?")});
    CHECK(shown(session, "1") == volcano);
    CHECK(is_line(shown(session, "2")));
    CHECK(store.get(store.name(glacier)) == glacier);
    CHECK(session.used().tokens <= 7'000_tokens);
}

TEST_CASE("plan: a model plans and writes summaries, and the report says what it used") {
    auto const planning = oracle("{\"decisions\": [" + decision_on("r2.0", "summarize") + ", " +
                                 decision_on("r5.0", "include_full") + ", " + decision_on("r8.0", "exclude") + "]}");
    auto const writing = oracle("A mountain of fire.");
    condense::plan_log log;
    condense::memory_store const store;
    auto const mix = pipeline{plan{.with = condense::model_planner{planning},
                                   .summaries = writing,
                                   .into = store,
                                   .executor = ::shelf::backwards{},
                                   .log = log}};
    auto const all = conversation{U("task")} + fetched("1", report_on("volcano", 2'500)) +
                     fetched("2", report_on("glacier", 2'000)) + fetched("3", report_on("estuary", 2'000)) +
                     conversation{U("Well?")};
    auto messages = all;
    auto const report = reduced(messages, mix, 10'000_tokens);
    CHECK(report.layers[0].asked == 2);
    CHECK(report.layers[0].model_usage.input.count == 2'000);
    CHECK(report.layers[0].model_usage.output.count == 100);
    CHECK(std::string_view{report.layers[0].note}.empty());
    CHECK(result_in(messages, "1")
              .starts_with("[Summary of turn 1: web_search, written by a model; the whole is stored as "));
    CHECK(result_in(messages, "1").ends_with("]\nA mountain of fire."));
    CHECK(result_in(messages, "2") == report_on("glacier", 2'000));
    CHECK(is_line(result_in(messages, "3")));
    CHECK(contains(planning.asked(), "Well?"));
    CHECK(contains(writing.asked(), "The volcano measures"));
    CHECK(log.latest().planning.input.count == 1'000);
    CHECK(log.latest().summarizing.input.count == 1'000);
    // A dry run asks nothing and says so.
    auto const dry = mix.draft(all, {.window = 10'000_tokens}, per_byte{});
    CHECK(dry.report().layers[0].asked == 1);
    CHECK(dry.report().layers[0].note == "a model would be asked");
    CHECK_FALSE(dry.report().changed());
    CHECK(planning.calls() == 1);
    CHECK(writing.calls() == 1);
    // A model that fails is no failure of the layer.
    planning.held->throws = "503 overloaded";
    messages = all;
    auto const without = reduced(messages, mix, 10'000_tokens);
    CHECK(without.layers[0].failures == 0);
    CHECK(without.layers[0].note == "no plan: 503 overloaded");
    CHECK(result_in(messages, "3") == report_on("estuary", 2'000));
    CHECK(is_line(result_in(messages, "1")));
    planning.held->throws.clear();
    writing.held->throws = "503 overloaded";
    messages = all;
    CHECK(reduced(messages, mix, 10'000_tokens).layers[0].failures == 0);
    CHECK(result_in(messages, "1") == report_on("volcano", 2'500));  // there is room for the whole
    CHECK(log.latest().records[0].problem == "503 overloaded");
    // What it gets wrong is mended, and counted.
    writing.held->throws.clear();
    planning.held->answers = {"{\"decisions\": [" + decision_on("r2.0", "exclude") + ", " +
                              decision_on("r99.0", "exclude") + "]}"};
    messages = all;
    auto const mended = reduced(messages, mix, 10'000_tokens);
    CHECK(mended.layers[0].note == "3 faults of the plan were mended");
    CHECK(log.latest().faults == condense::plan_faults{.unknown = 1, .missing = 2});
}

TEST_CASE("plan: models are shown no secrets, nor are stores") {
    auto const secret = canaries::all(1).front();
    auto const planning = oracle("{\"decisions\": [" + decision_on("r2.0", "summarize") + "]}");
    auto const writing = oracle("A summary.");
    condense::memory_store const store;
    condense::plan_log log;
    auto const mix =
        pipeline{plan{.with = condense::model_planner{planning}, .summaries = writing, .into = store, .log = log}};
    auto messages = conversation{U("task")} + fetched("1", secret.text + "\n" + report_on("volcano", 6'000)) +
                    conversation{U("Is it " + secret.text + "?")};
    condense::run_options const options{.redact = condense::known_secrets{}};
    auto const report = fakes::reduced(messages, mix, {.window = 10'000_tokens}, options);
    CHECK(result_in(messages, "1").ends_with("A summary."));
    REQUIRE(planning.calls() == 1);
    REQUIRE(writing.calls() == 1);
    for (auto const& prompt : {planning.asked(), writing.asked()})
        CHECK(prompt.find(secret.secret) == std::string::npos);
    CHECK(report.layers[0].redactions >= 3);
    std::string kept;
    CHECK_FALSE(store.each([&](condense::reference const& name, condense::bytes) { kept += *store.get(name); }));
    CHECK(contains(kept, "The volcano measures"));
    CHECK(kept.find(secret.secret) == std::string::npos);
    // Nor is the log, of an error.
    scripted::state state{.all = {{.strategy = out}}, .problem = "refused " + secret.text};
    auto const failing = pipeline{plan{.with = scripted{&state}, .log = log}};
    messages = conversation{U("task")} + fetched("1", letters(6'000)) + conversation{U("Well?")};
    static_cast<void>(fakes::reduced(messages, failing, {.window = 10'000_tokens}, options));
    CHECK(log.latest().problem.starts_with("refused "));
    CHECK(log.latest().problem.find(secret.secret) == std::string::npos);
}

TEST_CASE("plan: a model is asked once for a question and its results", "[law-9]") {
    auto const planning = oracle("{\"decisions\": [" + decision_on("r2.0", "summarize") + ", " +
                                 decision_on("r5.0", "include_full") + "]}");
    auto const writing = oracle(letters(300, 's'));
    condense::plan_log log;
    auto session = opened(pipeline{plan{.with = condense::model_planner{planning}, .summaries = writing, .log = log},
                                   escalate{.when = used >= 90_pct, .until = used <= 30_pct}},
                          small);
    push(session, conversation{U("task")} + fetched("1", report_on("volcano", 3'000)) +
                      fetched("2", report_on("glacier", 3'000)) + conversation{U("What does the volcano measure?")});
    CHECK(planning.calls() == 1);
    CHECK(writing.calls() == 1);
    CHECK(shown(session, "1").ends_with(letters(300, 's')));
    CHECK(shown(session, "2") == report_on("glacier", 3'000));
    CHECK(session.statistics().layers[0].model_usage.input.count == 2'000);
    CHECK_FALSE(session.run().changed());
    // In less room, and under pressure, the same plan is carried out.
    push(session, {A(letters(2'000, 'a')), A(letters(3'900, 'a'))});
    auto const report = session.prepare();
    CHECK(report.changed());
    CHECK(report.layers[0].asked == 0);
    CHECK(shown(session, "2").size() < 2'000);
    CHECK(shown(session, "1").ends_with(letters(300, 's')));
    CHECK(log.latest().records[0].done == strategy::extract);
    CHECK(log.latest().planning.input.count == 0);
    session.set_limits({.window = 6'500_tokens});
    CHECK(session.prepare().layers[0].asked == 0);
    CHECK(is_line(shown(session, "1")));
    CHECK(is_line(shown(session, "2")));
    CHECK(planning.calls() == 1);
    CHECK(writing.calls() == 1);
    // The next question is another.
    session.push(U("And now?"));
    CHECK(planning.calls() == 2);
    // One that has failed is not asked again, either.
    planning.held->throws = "503 overloaded";
    push(session, {A("hm"), U("And now?")});
    CHECK(planning.calls() == 3);
    CHECK(session.statistics().layers[0].failures == 0);
    static_cast<void>(session.run());
    static_cast<void>(session.run());
    CHECK(planning.calls() == 3);
}

TEST_CASE("plan: a model that was asked lately is waited for", "[law-18]") {
    auto const planning = oracle("[]");
    auto const by_model =
        plan{.when = used >= 50_pct, .until = used <= 40_pct, .with = condense::model_planner{planning}};
    auto session = opened(by_model, {.window = 20'000_tokens});
    push(session, {U("task")});
    push(session, volcanoes(0, 6, 1'700));
    CHECK(session.prepare().changed());
    CHECK(planning.calls() == 1);
    push(session, volcanoes(6, 8, 1'700));
    auto const waiting = session.prepare();
    CHECK_FALSE(waiting.changed());
    CHECK(waiting.layers[0].waits);
    CHECK(waiting.layers[0].failures == 0);
    CHECK(waiting.layers[0].note == "the model was asked lately");
    CHECK(planning.calls() == 1);
    push(session, volcanoes(8, 11, 1'700));
    CHECK(session.prepare().changed());
    CHECK(planning.calls() == 2);
    // Meanwhile another may plan.
    auto other =
        opened(fallback{by_model, plan{.when = used >= 50_pct, .until = used <= 40_pct}}, {.window = 20'000_tokens});
    push(other, {U("task")});
    push(other, volcanoes(0, 6, 1'700));
    CHECK(other.prepare().changed());
    push(other, volcanoes(6, 8, 1'700));
    auto const report = other.prepare();
    CHECK(report.layers[0].waits);
    CHECK(report.layers[1].outcome == layer_outcome::applied);
    CHECK(planning.calls() == 3);
}

TEST_CASE("plan: the log shows what the latest plan came to") {
    condense::plan_log log;
    condense::plan_log const same = log;
    auto session = opened(plan{.log = log}, small);
    push(session, conversation{U("task")} + fetched("1", report_on("glacier", 3'000)) +
                      fetched("2", report_on("volcano", 12'000)));
    CHECK(log.latest().records.empty());
    session.push(U("What does the volcano measure?"));
    auto const& latest = same.latest();
    REQUIRE(latest.records.size() == 2);
    CHECK(latest.pays == condense::planning_reason::historical);
    CHECK(latest.problem.empty());
    CHECK(latest.records[0].id == "r2.0");
    CHECK(latest.records[0].source == "turn 1: web_search");
    CHECK(latest.records[0].done == out);
    CHECK(latest.records[0].before.count == report_on("glacier", 3'000).size());
    CHECK(latest.records[0].after.count == shown(session, "1").size());
    CHECK(latest.records[1].done == strategy::extract);
    CHECK(latest.records[1].after.count == shown(session, "2").size());
    CHECK(contains(latest.records[1].reason, "passages"));
    // The same words of a tool that is hostile to the log's reader are printable.
    CHECK(plan{.log = log} == plan{.log = same});
    CHECK(plan{.log = log} != plan{.log = condense::plan_log{}});
    CHECK(plan{} == plan{});
}

TEST_CASE("plan: a session that goes on elsewhere plans as it would have") {
    condense::memory_store const store;
    auto const mix = pipeline{plan{.into = store}, window_to(60_pct, 30_pct)};
    auto session = opened(mix, small);
    push(session, conversation{U("task")} + fetched("1", report_on("volcano", 2'500)) +
                      fetched("2", report_on("glacier", 2'700)) +
                      conversation{U("What does the glacier measure?"), A(letters(1'000, 'a'))});
    static_cast<void>(session.prepare());
    auto taken = session.state();
    REQUIRE_FALSE(taken.error);
    auto next = opened(mix, small);
    REQUIRE_FALSE(next.adopt(std::move(taken.state)));
    CHECK(sent(next) == sent(session));
    CHECK_FALSE(next.run().changed());  // the question is no new one
    for (auto* const one : {&session, &next}) one->push(U("What does the volcano measure?"));
    CHECK(sent(next) == sent(session));
    CHECK(shown(next, "1") == report_on("volcano", 2'500));
}

TEST_CASE("plan: messages that the program has changed are looked at again") {
    conversation messages{U("task")};
    messages += fetched("1", report_on("volcano", 3'000)) + fetched("2", report_on("glacier", 3'000));
    session session{std::ref(messages), pipeline{plan{}}, small, per_byte{}};
    session.push(U("What does the glacier measure?"));
    CHECK(is_line(result_in(session.request(), "1")));
    messages[2] = R("1", report_on("glacier", 1'500));
    messages[5] = R("2", report_on("estuary", 3'000));
    session.sync({2});
    push(session, {A("17"), U("And the glacier?")});
    CHECK(result_in(session.request(), "1") == report_on("glacier", 1'500));
    CHECK(result_in(session.request(), "2") == report_on("estuary", 3'000));
    push(session, fetched("3", report_on("savanna", 3'000)) + conversation{U("What does the estuary measure?")});
    CHECK(result_in(session.request(), "2") == report_on("estuary", 3'000));
    CHECK(is_line(result_in(session.request(), "3")));
}

TEST_CASE("plan: what was released does not come back, nor breaks anything") {
    condense::memory_journal const journal;
    auto session = opened(pipeline{record{.to = journal}, plan{}, window_to(50_pct, 20_pct)}, small);
    push(session, conversation{U("task")} + fetched("1", report_on("volcano", 2'500)) + small_talk(12, 150));
    CHECK(session.run().changed());
    CHECK(shown(session, "1").empty());
    CHECK(session.release({20}) > 3);
    push(session, fetched("2", report_on("glacier", 2'500)) + fetched("3", report_on("savanna", 2'600)) +
                      conversation{U("What does the volcano measure?")});
    CHECK(shown(session, "1").empty());
    push(session, {A("?"), U("What does the glacier measure?")});
    CHECK(shown(session, "2") == report_on("glacier", 2'500));
    auto taken = session.state();
    REQUIRE_FALSE(taken.error);
    auto next = opened(pipeline{record{.to = journal}, plan{}, window_to(50_pct, 20_pct)}, small);
    REQUIRE_FALSE(next.adopt(std::move(taken.state)));
    for (auto* const one : {&session, &next}) one->push(U("What does the savanna measure?"));
    CHECK(sent(next) == sent(session));
}

TEST_CASE("plan: a plan decides about the newest `most` results, and reads no others") {
    scripted::state state{.all = {{.strategy = out}}};
    std::size_t counted = 0;
    struct counting {
        std::size_t* bytes;
        condense::cost operator()(std::string_view text) const {
            *bytes += text.size();
            return per_byte{}(text);
        }
    };
    auto const mix = pipeline{plan{.share = 10_pct, .most = 3, .with = scripted{&state}}};
    session session{conversation{}, mix, budget{.window = 100'000_tokens}, counting{&counted}};
    push(session, {U("task")});
    for (int round = 0; round < 10; ++round) push(session, fetched(std::to_string(round), letters(5'000)));
    counted = 0;
    session.push(U("Well?"));
    CHECK(state.ids == std::vector<std::string>{"r23.0", "r26.0", "r29.0"});
    for (int round = 0; round < 7; ++round) CHECK(shown(session, std::to_string(round)).size() == 5'000);
    CHECK(counted < 2'000);  // of the lines alone; no result is counted again
}

TEST_CASE("plan: it says why it has nothing to do") {
    scripted::state state{.all = {{.strategy = out}}};
    auto const all = conversation{U("task")} + fetched("1", letters(3'000)) + conversation{U("Well?")};
    auto const layer = plan{.with = scripted{&state}};
    CHECK(idle_note(layer, {U("task")}, 1'000_tokens) == "nothing to do: no result over `over` is free");
    CHECK(idle_note(layer, all, 10'000_tokens) == "nothing to do: all of it fits");
    auto const first = conversation{U("task")} + fetched("1", letters(3'000));
    CHECK(idle_note(layer, first, 3'500_tokens) == "nothing to do: planning does not pay");  // it is small
    auto dear = plan{.pays = {.least = 2'000_chars}, .with = scripted{&state}};
    auto once = first;
    CHECK(reduced(once, dear, 3'500_tokens).changed());
    CHECK(idle_note(layer, all, 0_tokens).empty());  // a budget that leaves nothing for the input
    CHECK(state.calls == 1);
    auto session = opened(layer, {.window = 4'000_tokens});
    push(session, all);
    CHECK(session.run().layers[0].note == "nothing to do: all of it fits");
    auto none = opened(layer, {.window = 0_tokens});
    push(none, all);
    CHECK(shown(none, "1") == letters(3'000));
}

TEST_CASE("plan: settings that cannot work are refused") {
    for (auto const& layer :
         {plan{.share = 0_pct}, plan{.share = condense::percent{10'001}}, plan{.over = 191_bytes}, plan{.most = 0},
          plan{.when = used >= 50_pct, .until = used <= 60_pct}, plan{.words = {.stored = "two\nlines"}}})
        CHECK_THROWS_AS(pipeline{layer}, invalid_configuration);
    CHECK_NOTHROW(pipeline{plan{.over = 192_bytes, .share = 100_pct, .most = 1}});
}

namespace {

using condense::detail::plan_memory;
using place = plan_memory::place;

struct reading {
    condense::outline facts;

    void append(conversation const& messages) {
        for (auto const& m : messages) facts.append(m, per_byte{});
    }
    condense::outline const& outline() const { return facts; }
};

}  // namespace

TEST_CASE("plan_memory: it notes the newest large results, each once") {
    reading on;
    plan_memory memory;
    on.append({U("task"), CC("1", "2"), joined(R("1", letters(101)), R("2", letters(100))), R("2", letters(102)), A()});
    memory.see(on, {100}, 3);
    std::vector<place> const first{{2, 0, 1}, {3, 0, 1}};
    CHECK(memory.places() == first);
    CHECK(memory.turn_of(3, 0) == "turn 1: ");
    CHECK(memory.turn_of(2, 1).empty());
    memory.see(on, {100}, 3);
    CHECK(memory.places() == first);
    on.append({U("more"), CC("3", "4"), R("3", letters(500)), R("4", letters(500))});
    memory.see(on, {100}, 3);
    CHECK(memory.places() == std::vector<place>{{3, 0, 1}, {7, 0, 2}, {8, 0, 2}});
    // After other messages have come in their place all are looked at again; the question is no new one.
    memory.set_planned(5, 6, 7);
    memory.rewind(2);
    CHECK(memory.places().empty());
    CHECK_FALSE(memory.is_new(5));
    memory.see(on, {100}, 9);
    CHECK(memory.places().size() == 4);
    CHECK(memory.turn_of(8, 0) == "turn 2: ");
}

TEST_CASE("plan_memory: a question is new until a run was about it") {
    plan_memory memory;
    CHECK(memory.is_new(0));
    memory.set_asked(0);
    CHECK_FALSE(memory.is_new(0));
    CHECK_FALSE(memory.is_planned(0, 0, 1'000'000));
    memory.set_planned(0, 8, 100);
    memory.set_asked(0);  // what was planned stays so
    CHECK(memory.is_planned(0, 8, 100));
    CHECK(memory.is_planned(0, 8, 101));
    CHECK_FALSE(memory.is_planned(0, 8, 99));
    CHECK_FALSE(memory.is_planned(0, 9, 100));
    CHECK_FALSE(memory.is_planned(1, 8, 100));
    CHECK(memory.is_new(1));
}

TEST_CASE("plan_memory: the plan of a model is good for the same question and no more results") {
    auto const results = [](std::vector<std::string> const& ids) {
        std::vector<condense::artifact> all;
        for (auto const& id : ids) all.push_back({.id = id});
        return all;
    };
    plan_memory memory;
    CHECK(memory.plan_for(1, results({})) == nullptr);
    memory.keep_plan(1, results({"r9.0", "r10.0"}), {.problem = "late"});
    REQUIRE(memory.plan_for(1, results({"r10.0", "r9.0"})) != nullptr);
    CHECK(memory.plan_for(1, results({"r9.0"}))->problem == "late");
    CHECK(memory.plan_for(1, results({"r9.0", "r11.0"})) == nullptr);
    CHECK(memory.plan_for(2, results({"r9.0"})) == nullptr);
    memory.rewind(0);
    CHECK(memory.plan_for(1, results({"r9.0"})) == nullptr);
}

TEST_CASE("plan_memory: it is saved and loaded, and forged texts are refused") {
    reading on;
    plan_memory memory;
    on.append({U("task"), CC("1", "2"), R("1", letters(500)), R("2", letters(500)), A()});
    memory.see(on, {100}, 3);
    memory.set_planned(~std::uint64_t{0}, 12, 13);
    auto const saved = memory.save();
    CHECK(saved == "1:5,1:1,1:1,20:18446744073709551615,2:12,2:13,1:2,1:0,1:1,1:3,1:0,1:1,");
    plan_memory loaded;
    REQUIRE(loaded.load(saved, 5));
    CHECK(loaded.places() == memory.places());
    CHECK(loaded.save() == saved);
    CHECK(loaded.is_planned(~std::uint64_t{0}, 12, 13));
    loaded.see(on, {100}, 3);
    CHECK(loaded.places() == memory.places());
    // Without a text it begins anew.
    plan_memory fresh;
    REQUIRE(fresh.load("", 5));
    fresh.see(on, {100}, 3);
    CHECK(fresh.places() == memory.places());
    for (std::string const forged : {"1:6,1:1,1:1,1:1,1:1,1:1,",  // more messages than there are
                                     "1:5,1:1,1:2,1:1,1:1,1:1,",  // no bool
                                     "1:5,1:1,1:1,1:1,1:1,",  // too few figures
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:2,1:0,",  // half a place
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:5,1:0,1:1,",  // a message that it has not seen
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:3,1:0,1:1,1:2,1:0,1:1,",  // in no order
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:3,1:0,1:1,1:3,1:0,1:1,",  // twice
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:3,11:99999999999,1:1,",  // a part beyond all
                                     "x"}) {
        CAPTURE(forged);
        CHECK_FALSE(loaded.load(forged, 5));
        CHECK(loaded.save() == saved);
    }
    CHECK_FALSE(loaded.load(saved, 4));
}
