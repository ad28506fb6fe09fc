// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/asking.hpp>

#include "core/toy.hpp"
#include "plan/shelf.hpp"
#include "support/catch.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using condense::ask_limits, condense::cancelled, condense::direct_calls, condense::in_turn, condense::model_prompt,
    condense::model_question;
using condense::detail::calls_in_run;
using notation::A, notation::conversation, notation::per_byte, notation::U;
using shelf::backwards, shelf::idle, shelf::on_threads;
using reply = condense::reply<std::string>;
using replies = std::vector<reply>;

std::vector<model_question> questions(std::size_t count, ask_limits limits = {}) {
    std::vector<model_question> all;
    for (std::size_t index = 0; index < count; ++index) all.push_back({{.data = "q" + std::to_string(index)}, limits});
    return all;
}
/// Answers what it is asked.
reply echo(model_prompt const& prompt) { return {.message = "re " + prompt.data}; }

using list = std::vector<std::string>;

/// The messages, and the errors in place of those that are missing.
list said(replies const& all) {
    list words;
    for (auto const& each : all) words.push_back(each.message.value_or("error: " + each.error.text));
    return words;
}

// Further executors.

constexpr auto twice = [](std::size_t count, auto const& f) {
    for (int time = 0; time < 2; ++time) in_turn{}(count, f);
    f(count);
    f(~std::size_t{0});
};
constexpr auto every_other = [](std::size_t count, auto const& f) {
    for (std::size_t index = 0; index < count; index += 2) f(index);
};
/// Calls the first ones, then throws.
template <class Problem>
struct breaking_off {
    std::size_t after = 1;
    Problem problem = {};
    template <class Function>
    void operator()(std::size_t, Function const& f) const {
        in_turn{}(after, f);
        throw problem;
    }
};
struct broken : std::exception {
    char const* what() const noexcept override { return "no more threads"; }
};
struct wordless : std::exception {
    char const* what() const noexcept override { return ""; }
};

// Calls within a run

/// A pipeline of one layer that does `act(calls, pass)`.
auto asking(auto const& act) {
    return condense::pipeline{toy::layer<condense::asks>([&act](auto&, auto& pass) {
        calls_in_run<std::remove_reference_t<decltype(pass)>> calls{pass};
        act(calls, pass);
    })};
}
template <class... Options>
auto run(auto const& act, Options const&... options) {
    conversation history{U("task"), A("an answer"), U("latest")};
    return condense::reduce(history, asking(act), {.window = 100_tokens}, per_byte{}, options...);
}

/// Stands for a pass where calls have to wait.
struct waiting_pass {
    bool asked = false;
    int waits = 0;
    bool may_ask() const noexcept { return false; }
    bool dry() const noexcept { return false; }
    bool is_late() const noexcept { return false; }
    condense::instant deadline() const noexcept { return {}; }
    condense::never_stops stop_token() const noexcept { return {}; }
    void wait_for_model() noexcept { ++waits; }
    void redact(model_prompt&) noexcept { asked = true; }
    reply ask(auto const&, model_prompt const&, ask_limits) noexcept {
        asked = true;
        return {};
    }
};

}  // namespace

TEST_CASE("asking: a model in any form is called, with the earlier of its limits") {
    std::uint64_t time = 100;
    direct_calls<fakes::clock> const calls{{1'000}, {&time}};
    ask_limits seen;
    auto const model = [&](model_prompt const& prompt, ask_limits limits) {
        seen = limits;
        return "re " + prompt.data;
    };
    CHECK(calls(model, {.data = "q"}, {.answer = 7_tokens, .within = {50}}).message == "re q");
    CHECK(seen.answer == 7_tokens);
    CHECK(seen.deadline.count == 150);
    static_cast<void>(calls(model, {}, {.within = {2'000}}));
    CHECK(seen.deadline.count == 1'000);
    static_cast<void>(calls(model, {}, {.deadline = {120}, .within = {50}}));
    CHECK(seen.deadline.count == 120);
    static_cast<void>(calls(model, {}, {.within = {condense::detail::u64_limit}}));
    CHECK(seen.deadline.count == 1'000);
    auto const plain = [](std::string_view text) { return std::string{text} + "!"; };
    CHECK(direct_calls<>{}(plain, {"Do it.", "data"}, {}).message == "Do it.\ndata!");
    CHECK(direct_calls<>{}(echo, {.data = "q"}, {}).message == "re q");
}

TEST_CASE("asking: an answer behind its deadline is an error, and is paid for") {
    std::uint64_t time = 0;
    direct_calls<fakes::clock> const calls{{1'000}, {&time}};
    auto const takes = [&](std::uint64_t span) {
        return [&time, span](model_prompt const&) {
            time += span;
            return reply{.message = "answer", .usage = {.input = 9_tokens}};
        };
    };
    auto const in_time = calls(takes(50), {}, {.within = {50}});
    CHECK(in_time.message == "answer");
    auto const late = calls(takes(51), {}, {.within = {50}});
    CHECK_FALSE(late.message);
    CHECK(late.error.text == "the answer came too late");
    CHECK(late.usage.input == 9_tokens);
    // Of several each has its own time, from its own call on.
    CHECK(said(calls.all(takes(40), questions(5, {.within = {50}}), in_turn{})) == list(5, "answer"));
    time = 0;
    CHECK(said(calls.all(takes(60), questions(2, {.within = {50}}), in_turn{})) ==
          list(2, "error: the answer came too late"));
    // And all have the deadline.
    time = 0;
    CHECK(said(calls.all(takes(400), questions(3), in_turn{})) ==
          list{"answer", "answer", "error: the answer came too late"});
}

TEST_CASE("asking: what a model throws is an error, with its words") {
    direct_calls<> const calls;
    auto const throws = [&](auto problem) {
        auto const answer = calls([&](model_prompt const&) -> reply { throw problem; }, {}, {});
        CHECK_FALSE(answer.message);
        CHECK(answer.error);
        return answer.error.text;
    };
    CHECK(throws(std::runtime_error{"refused"}) == "refused");
    CHECK(throws(wordless{}) == "the model threw");
    CHECK(throws(7) == "the model threw");
    auto const second_throws = [](model_prompt const& prompt) {
        if (prompt.data == "q1") throw std::runtime_error{"refused"};
        return echo(prompt);
    };
    for (auto const& all :
         {calls.all(second_throws, questions(3), in_turn{}), calls.all(second_throws, questions(3), on_threads{})})
        CHECK(said(all) == list{"re q0", "error: refused", "re q2"});
}

TEST_CASE("asking: a cancellation passes through, also within another exception, and is the last call") {
    direct_calls<> const calls;
    auto const cancels = [](model_prompt const&) -> reply { throw cancelled{}; };
    auto const cancels_within = [](model_prompt const&) -> reply { fakes::throw_nested(cancelled{}); };
    CHECK_THROWS_AS(calls(cancels, {}, {}), cancelled);
    CHECK_THROWS_WITH(calls(cancels_within, {}, {}), "the transport failed");
    CHECK_THROWS_AS(calls.all(cancels, questions(2), backwards{}), cancelled);
    CHECK_THROWS_WITH(calls.all(cancels_within, questions(2), in_turn{}), "the transport failed");
    CHECK_THROWS_AS(calls.all(cancels, questions(4), on_threads{}), cancelled);
    std::size_t count = 0;
    auto const second_cancels = [&](model_prompt const& prompt) {
        if (++count == 2) throw cancelled{};
        return echo(prompt);
    };
    CHECK_THROWS_AS(calls.all(second_cancels, questions(9), backwards{}), cancelled);
    CHECK(count == 2);
}

TEST_CASE("asking: while a stop is requested every exception passes through") {
    bool stop = false;
    direct_calls<condense::steady_clock, fakes::stop_flag> const calls{{condense::detail::u64_limit}, {}, {&stop}};
    auto const throws = [](model_prompt const&) -> reply { throw std::runtime_error{"refused"}; };
    auto const throws_seven = [](model_prompt const&) -> reply { throw 7; };
    CHECK(calls(throws, {}, {}).error.text == "refused");
    stop = true;
    CHECK_THROWS_WITH(calls(throws, {}, {}), "refused");
    CHECK_THROWS_AS(calls(throws_seven, {}, {}), int);
    CHECK_THROWS_WITH(calls.all(throws, questions(2), in_turn{}), "refused");
    CHECK(calls(echo, {.data = "q"}, {}).message == "re q");
}

TEST_CASE("asking: answers stand in the order of the questions, whatever the executor does, also where it breaks off") {
    direct_calls<> const calls;
    std::atomic<std::size_t> count = 0;
    auto const model = [&](model_prompt const& prompt) {
        ++count;
        return echo(prompt);
    };
    list const all{"re q0", "re q1", "re q2", "re q3", "re q4"};
    auto const asked = [&](auto const& executor, std::size_t how_many = 5) {
        count = 0;
        return said(calls.all(model, questions(how_many), executor));
    };
    CHECK(asked(in_turn{}) == all);
    CHECK(asked(backwards{}) == all);
    CHECK(asked(on_threads{}) == all);
    CHECK(count == 5);
    CHECK(asked(twice) == all);
    CHECK(count == 5);  // each is paid for once
    CHECK(asked(idle{}) == list(5, "error: the executor made no call"));
    CHECK(asked(every_other) ==
          list{"re q0", "error: the executor made no call", "re q2", "error: the executor made no call", "re q4"});
    CHECK(asked(in_turn{}, 0).empty());
    CHECK(asked(idle{}, 0).empty());
    CHECK(said(calls.all(echo, questions(3), breaking_off<broken>{})) ==
          list{"re q0", "error: no more threads", "error: no more threads"});
    CHECK(said(calls.all(echo, questions(1), breaking_off<broken>{})) == list{"re q0"});
    CHECK_THROWS_AS(calls.all(echo, questions(3), breaking_off<cancelled>{}), cancelled);
    CHECK_THROWS_AS(calls.all(echo, questions(1), breaking_off<cancelled>{}), cancelled);
}

TEST_CASE("asking: many calls on many threads are made once each") {
    direct_calls<> const calls;
    std::vector<std::atomic<int>> times(64);
    auto const model = [&](model_prompt const& prompt) {
        ++times[static_cast<std::size_t>(std::stoi(prompt.data.substr(1)))];
        return echo(prompt);
    };
    auto const crowd = [](std::size_t count, auto const& f) {
        std::vector<std::thread> threads;
        for (int each = 0; each < 4; ++each) threads.emplace_back([&, count] { in_turn{}(count, f); });
        for (auto& each : threads) each.join();
    };
    auto const answers = said(calls.all(model, questions(times.size()), crowd));
    for (std::size_t index = 0; index < times.size(); ++index) {
        CHECK(times[index] == 1);
        CHECK(answers[index] == "re q" + std::to_string(index));
    }
}

TEST_CASE("asking: within a run calls are counted, paid for and redacted, one or several") {
    list seen;
    auto const model = [&](model_prompt const& prompt) {
        seen.push_back(prompt.data);
        return reply{.message = "re " + prompt.data, .usage = {.input = 5_tokens}};
    };
    condense::run_options<condense::steady_clock, condense::never_stops, condense::no_pins, condense::no_observer,
                          fakes::no_keys> const options{};
    list found;
    auto report = run([&](auto& calls, auto&) { found = {*calls(model, {.data = "my KEY"}, {}).message}; }, options);
    CHECK(found == list{"re my ***"});
    CHECK(report.layers[0].asked == seen.size());
    CHECK(report.model_usage().input.count == 5 * seen.size());
    CHECK(report.layers[0].redactions == seen.size());
    seen.clear();
    report = run(
        [&](auto& calls, auto&) {
            auto all = questions(2);
            all.push_back({{.data = "a KEY"}, {}});
            found = said(calls.all(model, all, backwards{}));
            CHECK(said(calls.all(model, all, in_turn{})) == found);
        },
        options);
    CHECK(found == list{"re q0", "re q1", "re a ***"});
    CHECK(report.layers[0].asked == seen.size());
    CHECK(report.model_usage().input.count == 5 * seen.size());
    CHECK(std::vector(seen.begin(), seen.begin() + 3) == list{"a ***", "q1", "q0"});
    for (auto const& each : seen) CHECK(each.find("KEY") == std::string::npos);
}

TEST_CASE("asking: within a run errors are replies, and cancellations end it") {
    auto const throws = [](model_prompt const&) -> reply { throw std::runtime_error{"refused"}; };
    auto const cancels = [](model_prompt const&) -> reply { throw cancelled{}; };
    list found;
    auto const report = run([&](auto& calls, auto&) {
        found = said({calls(throws, {}, {})});
        for (auto const& all :
             {calls.all(throws, questions(1), backwards{}), calls.all(echo, questions(2), every_other),
              calls.all(echo, questions(2), breaking_off<broken>{})})
            for (auto const& each : said(all)) found.push_back(each);
    });
    CHECK(found == list{"error: refused", "error: refused", "re q0", "error: the executor made no call", "re q0",
                        "error: no more threads"});
    CHECK(report.layers[0].outcome != condense::layer_outcome::failed);
    auto const cancelling = [&](auto const& act) {
        CHECK_THROWS_AS(run([&](auto& calls, auto&) { static_cast<void>(act(calls)); }), cancelled);
    };
    cancelling([&](auto& calls) { return calls(cancels, {}, {}); });
    cancelling([&](auto& calls) { return calls.all(cancels, questions(2), in_turn{}); });
    cancelling([&](auto& calls) { return calls.all(cancels, questions(2), backwards{}); });
    cancelling([&](auto& calls) { return calls.all(echo, questions(2), breaking_off<cancelled>{}); });
}

TEST_CASE("asking: within a run an answer behind its time is an error") {
    std::uint64_t time = 0;
    auto const slow = [&](model_prompt const& prompt) {
        time += 60;
        return echo(prompt);
    };
    condense::run_options<fakes::clock> const options{.clock = {&time}};
    list found;
    static_cast<void>(run(
        [&](auto& calls, auto&) {
            found = said({calls(slow, {.data = "q"}, {.within = {60}}), calls(slow, {.data = "q"}, {.within = {59}})});
            for (auto const& each : said(calls.all(slow, questions(2, {.within = {60}}), in_turn{})))
                found.push_back(each);
        // All of them together have the deadline that is given.
            for (auto const& each : said(calls.all(slow, questions(2, {.deadline = {time + 100}}), backwards{})))
                found.push_back(each);
        },
        options));
    CHECK(found == list{"re q", "error: the answer came too late", "re q0", "re q1", "error: the answer came too late",
                        "error: the answer came too late"});
}

TEST_CASE("asking: a dry run calls no model, and counts what would be called") {
    int count = 0;
    auto const model = [&](model_prompt const& prompt) {
        ++count;
        return echo(prompt);
    };
    conversation const history{U("task"), A("an answer"), U("latest")};
    std::size_t found = 0;
    auto const act = [&](auto& calls, auto&) { found = calls.all(model, questions(3), on_threads{}).size(); };
    auto const dry = condense::dry_run(history, asking(act), {.window = 100_tokens}, per_byte{});
    CHECK(count == 0);
    CHECK(found == 3);
    CHECK(dry.report().layers[0].asked % 3 == 0);
    CHECK(dry.report().layers[0].asked > 0);
}

TEST_CASE("asking: a run whose model has to wait asks nothing, and says so") {
    waiting_pass pass;
    calls_in_run<waiting_pass> calls{pass};
    CHECK(calls(echo, {}, {}).error.text == "the model was asked lately");
    CHECK(pass.waits == 1);
    CHECK(said(calls.all(echo, questions(2), backwards{})) == list(2, "error: the model was asked lately"));
    CHECK(pass.waits == 3);
    CHECK_FALSE(pass.asked);
}
