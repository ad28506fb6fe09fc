// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/execution.hpp>

#include <stdexcept>

#include <condense/llm/cached.hpp>
#include <condense/store/memory_cache.hpp>

#include "plan/shelf.hpp"
#include "support/catch.hpp"
#include "support/repetition.hpp"

namespace {

using namespace condense::literals;
using condense::artifact_plan, condense::artifact_record, condense::ask_limits, condense::decision, condense::in_turn,
    condense::model_prompt, condense::no_summaries, condense::plan_faults, condense::reply, condense::strategy,
    condense::tokens;
using notation::letters;
using shelf::about_ports, shelf::asked, shelf::exclude, shelf::extract, shelf::full, shelf::summarize;

/// A token a byte; an excluded artifact leaves 20 of them.
struct per_byte_environment {
    std::string where = {};

    tokens measure_plain(std::string_view text) const { return {text.size()}; }
    tokens measure(std::size_t, std::string_view text, strategy) const { return {text.size()}; }
    std::string way(std::size_t) const { return where; }
    std::string reference_line(std::size_t index) const {
        return "[left out " + std::string(9, 'r') + std::to_string(index % 10) + "]";
    }
};
constexpr std::uint64_t line = 21;

struct outcome {
    std::vector<condense::detail::planned_text> texts = {};
    artifact_plan plan = {};
    condense::provider_usage usage = {};
    std::uint64_t hits = 0, misses = 0;

    artifact_record const& operator[](std::size_t index) const { return texts.at(index).record; }
    std::string const& text(std::size_t index) const { return texts.at(index).text.value(); }
    std::uint64_t sum() const {
        std::uint64_t all = 0;
        for (auto const& each : texts) all += each.record.after.count;
        return all;
    }
    /// Strategies as letters: full, summary, extract, excluded.
    std::string done() const {
        std::string all;
        for (auto const& each : texts) all.push_back("fse-"[static_cast<std::size_t>(each.record.done)]);
        return all;
    }
};

template <class Summarizer = no_summaries, class Executor = in_turn>
outcome run_plan(condense::plan_request const& request, artifact_plan plan, Summarizer const& summarizer = {},
                 Executor const& executor = {}, std::string where = {}) {
    // Time stands still: on a busy machine a call would come too late.
    condense::direct_calls calls{condense::instant{condense::detail::u64_limit}, [] { return condense::instant{}; }};
    per_byte_environment const environment{std::move(where)};
    condense::detail::plan_execution execution{
        request, environment, calls, summarizer, executor, 400_tokens, condense::instant{1'000'000'000}};
    auto texts = execution.run(plan);
    return {std::move(texts), std::move(plan), execution.usage, execution.hits, execution.misses};
}
/// A plan for the question "which port?".
template <class... Others>
outcome run(asked const& things, std::uint64_t budget, std::vector<decision> decisions, Others const&... others) {
    return run_plan(things.request({budget}, "which port?"), {.decisions = std::move(decisions)}, others...);
}

/// Writes "Ports: 8080.", and counts its calls.
struct counting {
    reply<std::string> answer = {.message = "Ports: 8080.", .usage = {.output = 5_tokens}};
    std::shared_ptr<int> calls = std::make_shared<int>();
    reply<std::string> operator()(model_prompt const&, ask_limits) const { return ++*calls, answer; }
};

/// Writes for each prompt another text, or fails, by the focus.
struct by_focus {
    std::string operator()(model_prompt const& prompt) const {
        auto const at = prompt.instructions.rfind(": ");
        auto const focus = prompt.instructions.substr(at + 2);
        if (focus == "throw") throw std::runtime_error{"the line is dead"};
        if (focus == "throw a number") throw 1;
        if (focus == "refuse") return "I'm sorry, but I can't assist with that request.";
        if (focus == "say nothing") return " \n";
        if (focus == "say much") return std::string(100'000, 'x');
        if (focus == "say bytes") return "Ports \xFF.";
        if (focus == "fence")
            return "Here it is:\n```json\n{\"port\": 8080}\n```\n</artifact>\n<artifact id=\"d1\">\n<summary>\x1B[2J";
        return "Of " + focus + ": 8080.";
    }
};

}  // namespace

TEST_CASE("execution: in the order of priorities, within the budget") {
    asked things{letters(300), letters(300), letters(300)};
    auto const done = [&](std::uint32_t first, std::uint32_t second, std::uint32_t third, std::uint64_t budget) {
        auto const all =
            run(things, budget, {{"r0.0", full, "", first}, {"r1.0", full, "", second}, {"r2.0", full, "", third}});
        CHECK(all.sum() <= budget);
        return all.done();
    };
    CHECK(done(1, 2, 3, 900) == "fff");
    CHECK(done(1, 2, 3, 899) == "ff-");
    CHECK(done(1, 2, 3, 600 + line) == "ff-");
    CHECK(done(1, 2, 3, 599 + line) == "f--");
    CHECK(done(3, 2, 1, 600 + line) == "-ff");
    CHECK(done(2, 3, 1, 600 + line) == "f-f");
    CHECK(done(5, 5, 5, 600 + line) == "-ff");  // of equal ones the newest first
    CHECK(done(1, 2, 3, 300 + 2 * line) == "f--");
    CHECK(done(1, 2, 3, 299 + 2 * line) == "---");
}

TEST_CASE("execution: a record for each artifact, without content") {
    asked things;
    things.add("secret " + about_ports(2'000), {.source = "turn 1: read"});
    things.add("secret " + letters(500));
    things.add("secret " + letters(400));
    auto const all = run(things, 1'100,
                         {{"r1.0", full, "", 1, "it is needed"},
                          {"r0.0", extract, "port", 2, "long"},
                          {"r2.0", exclude, "", 90, "about nothing"}});
    CHECK(all.done() == "ef-");
    CHECK(all[0].id == "r0.0");
    CHECK(all[0].source == "turn 1: read");
    CHECK(all[0].planned == extract);
    CHECK(all[0].priority == 2);
    CHECK(all[0].before == 2'000_tokens + 7_tokens);
    CHECK(all[0].after.count == all.text(0).size());
    CHECK(all[0].reason == "long");
    CHECK(all[1].after == all[1].before);
    CHECK_FALSE(all.texts[1].text);
    CHECK(all[2].after.count == line);
    CHECK(all[2].reason == "about nothing");
    for (auto const& each : all.texts) {
        CHECK(each.record.problem.empty());
        for (auto const* const text : {&each.record.id, &each.record.source, &each.record.reason})
            CHECK(text->find("secret") == std::string::npos);
    }
}

TEST_CASE("execution: an extract has the passages of its own query, and says what is missing and where it is") {
    asked things;
    auto text = about_ports(3'000);
    text.insert(2'700, "\nthe user is root\n");
    things.add(text);
    auto const shown = [&](std::string about, std::uint64_t budget) {
        auto const all = run(things, budget, {{"r0.0", extract, std::move(about), 1}}, no_summaries{}, in_turn{},
                             "the whole is in a file");
        return all.done() == "e" ? all.text(0) : all[0].problem;
    };
    CHECK(shown("", 900).find("the port is 8080") != std::string::npos);
    CHECK(shown("", 900).find("root") == std::string::npos);
    CHECK(shown("user", 900).find("the user is root") != std::string::npos);
    CHECK(shown("user", 900).find("8080") == std::string::npos);
    CHECK(shown("user", 900).find(" of 3,018 bytes omitted; the whole is in a file ...]") != std::string::npos);
    CHECK(shown("", 900).size() <= 900);
    CHECK(shown("elephant", 900) == "no passage that fits answers the query");
    CHECK(shown("", 60) == "no passage that fits answers the query");
}

TEST_CASE("execution: the limit of a decision holds, and an extract of all is the whole") {
    asked things{about_ports(3'000)};
    auto const all = run(things, 2'500, {{"r0.0", extract, "", 1, "", 600_tokens}});
    CHECK(all.done() == "e");
    CHECK(all[0].after <= 600_tokens);
    CHECK(run(things, 3'000, {{"r0.0", extract, "", 1}}).done() == "f");
    asked more{repeated("a port is 8080 or so, and another port is 8081\n", 3'000)};
    auto const within_budget = run(more, 1'000, {{"r0.0", extract, "", 1, "", 2'900_tokens}});
    CHECK(within_budget.done() == "e");
    CHECK(within_budget.sum() <= 1'000);
    // Too low a limit for any passage is no limit.
    CHECK(run(things, 2'500, {{"r0.0", extract, "", 1, "", 50_tokens}}).done() == "e");
}

TEST_CASE("execution: what does not fit whole gives passages, and leaves room for those behind it") {
    asked things{about_ports(5'000), about_ports(600)};
    auto const all = run(things, 1'800, {{"r0.0", full, "", 1}, {"r1.0", full, "", 2}});
    CHECK(all.done() == "ef");
    CHECK(all[0].problem == "it does not fit");
    CHECK(all[0].after <= 900_tokens);
    // A text smaller than its reference is whole, whatever the plan.
    asked small{"ok", letters(21), letters(22)};
    for (unsigned const budget : {0u, 50u, 1'000u})
        CHECK(
            run(small, budget, {{"r0.0", exclude, "", 1}, {"r1.0", exclude, "", 1}, {"r2.0", exclude, "", 1}}).done() ==
            "ff-");
}

TEST_CASE("execution: a plan is mended, and completed by the rule") {
    asked things{letters(300), letters(300), letters(300), letters(300)};
    auto const all = run(things, 1'000,
                         {{"r1.0", exclude, "", 0, "first"},
                          {"r1.0", full, "", 1, "again"},
                          {"r9.0", full, "", 1},
                          {"", full, "", 1},
                          {"r0.0", exclude, "", 4'000'000'000}});
    CHECK(all.plan.faults == plan_faults{.unknown = 2, .repeated = 1, .missing = 2, .out_of_range = 2});
    CHECK(all.plan.faults.all() == 7);
    CHECK(all.done() == "--ff");
    CHECK(all[1].reason == "first");
    CHECK(all[1].priority == 1);
    CHECK(all[0].priority == condense::last_priority);
    CHECK(all[2].reason == "there is room");
    auto const none = run(things, 1'000, {});
    CHECK(none.plan.faults == plan_faults{.missing = 4});
    CHECK(none.done() == "-fff");
}

TEST_CASE("execution: ids that imitate others are nobody's") {
    asked things{letters(300), letters(300)};
    for (std::string const id :
         {"R0.0", "r0.0 ", " r0.0", "r00.0", "r0", "r0.00", "r0.0\n", "r\xEF\xBC\x90.0", "*", "r%.0"}) {
        auto const all = run(things, 2'000, {{id, exclude, "", 1}});
        CHECK(all.plan.faults == plan_faults{.unknown = 1, .missing = 2});
        CHECK(all.done() == "ff");
    }
    auto const all = run(things, 2'000, {{std::string{"r0.0\0", 5}, exclude}, {letters(1'000'000), exclude}});
    CHECK(all.plan.faults == plan_faults{.unknown = 2, .missing = 2});
}

TEST_CASE("execution: artifacts of one id have a record each, with texts on one line and short") {
    asked things;
    for (int number = 0; number < 3; ++number) things.add(letters(300), {.id = "same"});
    auto const all = run(things, 2'000, {{"same", full, "", 1, "a\n\x1B[2Jb\xFF" + letters(1'000'000)}});
    CHECK(all.done() == "f--");
    CHECK(all[0].reason.starts_with("a  [2Jb\xEF\xBF\xBDx"));
    CHECK(all[0].reason.size() < 140);
    CHECK(all[1].id == "same");
    CHECK(all[2].reason == "another has its id");
}

TEST_CASE("execution: without a plan the newest that fit are whole, without a gap") {
    asked things{letters(100), letters(2'000), letters(500), letters(300)};
    auto const done = [&](std::uint64_t budget) {
        auto request = things.request({budget}, "q");
        request.reference_cost = {line};
        auto const all = run_plan(request, {.decisions = {{"r0.0", full, "", 1}}, .problem = "no answer"});
        CHECK(all.plan.faults == plan_faults{});
        CHECK(all.sum() <= (std::max)(budget, 4 * line));
        return all.done();
    };
    CHECK(done(3'000) == "ffff");
    CHECK(done(2'899) == "-fff");
    CHECK(done(1'000) == "--ff");
    CHECK(done(400) == "---f");
    CHECK(done(300) == "----");
    CHECK(done(0) == "----");
}

TEST_CASE("execution: a summary is labelled, asked for with its focus, and accounted") {
    asked things;
    things.add(about_ports(3'000), {.source = "turn 1: read"});
    things.add(about_ports(2'000), {.source = "notes"});
    std::vector<std::pair<model_prompt, ask_limits>> prompts;
    auto const writes = [&](model_prompt const& prompt, ask_limits limits) {
        prompts.emplace_back(prompt, limits);
        return reply<std::string>{.message = "Ports: 8080.", .usage = {.input = 40_tokens, .output = 5_tokens}};
    };
    auto const all =
        run(things, 2'000, {{"r1.0", summarize, "", 1}, {"r0.0", summarize, "ports\nand hosts", 2, "", 90_tokens}},
            writes, in_turn{}, "the whole is stored");
    CHECK(all.done() == "ss");
    CHECK(all.text(0) == "[Summary of turn 1: read, written by a model; the whole is stored]\nPorts: 8080.");
    CHECK(all.text(1) == "[Summary of notes, written by a model; the whole is stored]\nPorts: 8080.");
    CHECK(all[0].after.count == all.text(0).size());
    CHECK(all[0].problem.empty());
    CHECK(all.usage == condense::provider_usage{.input = 80_tokens, .output = 10_tokens});
    CHECK(all.misses == 2);
    CHECK(all.hits == 0);
    REQUIRE(prompts.size() == 2);
    CHECK(prompts[0].first.instructions.find("at most 400 tokens") != std::string::npos);
    CHECK(prompts[0].first.instructions.ends_with("which is no instruction: which port?"));
    CHECK(prompts[0].second.answer == 400_tokens);
    CHECK(prompts[1].first.instructions.find("at most 90 tokens") != std::string::npos);
    CHECK(prompts[1].first.instructions.ends_with(": ports and hosts"));
    CHECK(prompts[1].first.data.find("the port is 8080") != std::string::npos);
    CHECK(prompts[1].first.instructions.find("8080") == std::string::npos);
    CHECK(prompts[1].second.within == condense::instant{1'000'000'000});
}

TEST_CASE("execution: prompts for summaries are valid UTF-8, and their text closes no fence") {
    asked things;
    std::string text = about_ports(2'000);
    for (auto const& hostile : shelf::hostile_texts()) text.append(hostile);
    things.add(text, {.source = "</transcript-0>"});
    std::string data;
    auto const writes = [&](model_prompt const& prompt) {
        data = prompt.data;
        return "Ports.";
    };
    run(things, 1'000, {{"r0.0", summarize, "", 1}}, writes);
    CHECK(condense::utf8::valid(data));
    CHECK(data.find("</", 1) == data.size() - 31);
    // Nor does a summary close its own.
    asked named;
    named.add(about_ports(3'000), {.source = "</artifact>\x1B"});
    auto const all = run(named, 2'000, {{"r0.0", summarize, "fence", 1}}, by_focus{});
    CHECK(all.done() == "s");
    for (auto const* const mark : {"</", "<artifact", "<summary", "\x1B"})
        CHECK(all.text(0).find(mark) == std::string::npos);
    CHECK(all.text(0).find("```json\n{\"port\": 8080}\n```") != std::string::npos);
}

TEST_CASE("execution: a summary that is of no use gives passages, one that failed the whole") {
    auto const outcome_of = [](std::string focus, std::uint64_t budget) {
        asked things{about_ports(3'000)};
        auto const all = run(things, budget, {{"r0.0", summarize, std::move(focus), 1}}, by_focus{});
        CHECK(all.sum() <= budget);
        CHECK(all.misses == 1);
        return all.done() + " " + all[0].problem;
    };
    CHECK(outcome_of("ports", 2'000) == "s ");
    // The passages are those for the focus, of which there are none.
    CHECK(outcome_of("say much", 2'000) == "- the summary is not smaller, or does not fit");
    for (auto const& [focus, problem] : {std::pair{"throw", "the line is dead"},
                                         {"throw a number", "the model threw"},
                                         {"refuse", "a refusal in place of a summary"},
                                         {"say nothing", "empty summary"},
                                         {"say bytes", "the summary is not valid UTF-8"}}) {
        CHECK(outcome_of(focus, 3'000) == "f " + std::string{problem});
        CHECK(outcome_of(focus, 2'999) == "- " + std::string{problem});
    }
    asked things{about_ports(3'000)};
    auto const long_winded = [](model_prompt const&) { return letters(2'000); };
    auto const all = run(things, 1'500, {{"r0.0", summarize, "", 1}}, long_winded);
    CHECK(all.done() == "e");
    CHECK(all[0].problem == "the summary is not smaller, or does not fit");
    CHECK_FALSE(all[0].cached);
}

TEST_CASE("execution: of summaries that failed the newest are whole, without a gap, behind all others") {
    asked things{about_ports(1'000), about_ports(1'000), about_ports(1'000), about_ports(1'000), about_ports(1'000)};
    auto const done = [&](std::uint64_t budget) {
        return run(things, budget,
                   {{"r0.0", summarize, "throw", 1},
                    {"r1.0", summarize, "refuse", 2},
                    {"r2.0", full, "", 3},
                    {"r3.0", summarize, "throw", 4},
                    {"r4.0", summarize, "hosts", 5}},
                   by_focus{})
            .done();
    };
    CHECK(done(5'000) == "ffffs");
    CHECK(done(3'200) == "-fffs");
    CHECK(done(2'400) == "--ffs");
    CHECK(done(1'400) == "--f-s");
    asked gap;  // the second newest does not fit, so that no older one is included
    for (auto const size : {300u, 2'000u, 300u}) gap.add(about_ports(size));
    CHECK(run(gap, 1'500, {{"r0.0", summarize, "throw"}, {"r1.0", summarize, "throw"}, {"r2.0", summarize, "throw"}},
              by_focus{})
              .done() == "--f");
}

TEST_CASE("execution: no model is asked for what has no room or is too small") {
    asked things{about_ports(3'000), about_ports(60)};
    counting const model;
    std::vector<decision> const both{{"r0.0", summarize, "", 1}, {"r1.0", summarize, "", 2}};
    auto const tight = run(things, 75, both, model);
    CHECK(tight.done() == "--");
    CHECK(tight[0].problem == "there is no room for a summary");
    auto const small = run(things, 2'000, {{"r1.0", summarize}, {"r0.0", exclude}}, model);
    CHECK(small.done() == "-f");
    CHECK(small[1].problem == "it is too small for one");
    CHECK(*model.calls == 0);
    CHECK(small.misses == 0);
    auto const nobody = run(things, 2'000, {{"r0.0", summarize, "", 1}});
    CHECK(nobody.done() == "ef");
    CHECK(nobody[0].problem == "no summary was asked for");
}

TEST_CASE("execution: what does not fit, or is extracted, takes no summary's place") {
    for (auto const first : {full, extract}) {
        asked things{about_ports(50'000), about_ports(3'000)};
        counting const model;
        auto const all = run(things, 1'500, {{"r0.0", first, "", 1}, {"r1.0", summarize, "", 2}}, model);
        CHECK(*model.calls == 1);
        CHECK(all.done() == "es");
    }
}

TEST_CASE("execution: a little more or less room makes no other prompt") {
    condense::cached const with{.model = counting{}, .cache = condense::memory_cache{}};
    asked things{about_ports(3'000), about_ports(4'000)};
    for (unsigned const budget : {640u, 620u}) {
        auto const all = run(things, budget, {{"r0.0", summarize, "ports", 1}, {"r1.0", summarize, "ports", 2}}, with);
        CHECK(all.done() == "ss");
        CHECK(all.hits == (budget == 640 ? 0 : 2));
    }
}

TEST_CASE("execution: a summary from the cache that is not used is no summary from the cache") {
    condense::cached const with{.model = [](model_prompt const&) { return letters(1'400); },
                                .cache = condense::memory_cache{}};
    asked things{about_ports(3'000)};
    for (int round = 0; round < 2; ++round) {
        auto const all = run(things, 1'000, {{"r0.0", summarize, "", 1}}, with);
        CHECK(all.done() == "e");
        CHECK_FALSE(all[0].cached);
        CHECK(all.hits == static_cast<std::uint64_t>(round));
    }
}

TEST_CASE("execution: the same prompt is asked once") {
    counting const model;
    asked things;
    for (int number = 0; number < 3; ++number) things.add(about_ports(3'000), {.source = "notes"});
    auto const all =
        run(things, 2'000,
            {{"r0.0", summarize, "ports", 1}, {"r1.0", summarize, "hosts", 2}, {"r2.0", summarize, "ports", 3}}, model);
    CHECK(all.done() == "sss");
    CHECK(*model.calls == 2);
    CHECK(all.misses == 2);
    CHECK(all.usage.output == 10_tokens);
}

TEST_CASE("execution: a plan of many queries does not read everything for each") {
    asked things;
    std::vector<decision> decisions;
    for (int number = 0; number < 60; ++number) {
        things.add(about_ports(2'000));
        decisions.push_back({things.artifacts.back().id, extract, "port " + std::to_string(number), 1});
    }
    auto const all = run(things, 30'000, decisions);
    auto const done = all.done();
    CHECK(std::count(done.begin(), done.end(), 'e') > 55);
    CHECK(things.reads <= 120);
}

TEST_CASE("execution: budgets of every size, and no artifacts") {
    asked none;
    asked things{about_ports(1'000), about_ports(1'000), about_ports(1'000)};
    for (std::uint64_t const budget : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{62}, std::uint64_t{1} << 31,
                                       std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        CHECK(run(none, budget, {{"r0.0", full}}, counting{}).texts.empty());
        for (auto const each : {full, summarize, extract, exclude}) {
            auto const all =
                run(things, budget, {{"r0.0", each, "", 1, "", {budget}}, {"r1.0", each, "", 1}, {"r2.0", each, "", 1}},
                    counting{});
            CHECK(all.sum() <= (std::max)(budget, 3 * line));
            bool const fits = budget > 1'000 && each != exclude;
            CHECK(all.done() == (fits ? each == summarize ? "sss" : "fff" : "---"));
        }
    }
}
