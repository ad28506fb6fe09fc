// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/model_planner.hpp>

#include <nlohmann/json.hpp>

#include <condense/plan/planner.hpp>
#include <condense/plan/rule_planner.hpp>

#include "plan/shelf.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using condense::artifact_plan, condense::ask_limits, condense::instant, condense::model_planner, condense::model_prompt,
    condense::plan_faults, condense::reply, condense::strategy;
using condense::detail::plan_reader;
using nlohmann::json;
using shelf::asked, shelf::says;

static_assert(condense::planner<model_planner<decltype(says(""))>>);
static_assert(condense::detail::planner_asks<model_planner<decltype(says(""))>>);

/// A plan, one line for each decision.
std::string spelt(artifact_plan const& plan) {
    std::string out;
    for (auto const& each : plan.decisions) {
        out.append(each.artifact).append(" ").append(name(each.strategy)).append(" ");
        out.append(std::to_string(each.priority));
        if (!each.about.empty()) out.append(" about ").append(each.about);
        if (!each.reason.empty()) out.append(" as ").append(each.reason);
        out.push_back('\n');
    }
    return out;
}
std::string read(std::string_view answer) { return spelt(plan_reader::read(answer)); }
plan_faults faults_of(std::string_view answer) { return plan_reader::read(answer).faults; }

/// The plan of the model for two artifacts, and what asking it came to.
template <class Model, class... Clock>
artifact_plan plan_of(Model const& model, Clock... clock) {
    asked things{"the port is 8080", "no such file"};
    condense::direct_calls calls{instant{condense::detail::u64_limit}, clock...};
    auto const request = things.request(500_tokens, "which port?");
    return condense::detail::plan_with(model_planner<Model>{.model = model}, request, calls, condense::never_stops{});
}

std::string const complete =
    R"({"decisions": [)"
    R"({"id": "r0.0", "strategy": "include_full", "about": "", "priority": 1, "reason": "it has the port"},)"
    R"({"id": "r1.0", "strategy": "extract", "about": "which file", "priority": 7, "reason": "an error"},)"
    R"({"id": "d1", "strategy": "summarize", "about": "the ports", "priority": 40, "reason": "long"},)"
    R"({"id": "d2", "strategy": "exclude", "priority": 100, "reason": "about nothing"}]})";
std::string const complete_plan =
    "r0.0 include_full 1 as it has the port\n"
    "r1.0 extract 7 about which file as an error\n"
    "d1 summarize 40 about the ports as long\n"
    "d2 exclude 100 as about nothing\n";

}  // namespace

TEST_CASE("model_planner: shows facts and previews as JSON lines, whatever is in them") {
    asked things;
    things.add("{\"port\": 8080}", {.source = "turn 1: read", .type = "json", .preview = "{\"port\": 8080}"});
    for (auto const& hostile : shelf::hostile_texts())
        things.add("x", {.id = "r9\n" + std::string{hostile},
                         .source = std::string{hostile},
                         .type = std::string{hostile},
                         .preview = std::string{hostile},
                         .historical = true,
                         .error = true});
    auto const prompt =
        condense::detail::planning_prompt(things.request(5'000_tokens, "which\n\"port\"?\xFF", "to\tconnect"));
    REQUIRE(prompt.data.ends_with('\n'));
    std::vector<json> lines;
    for (auto const line : parts_of(std::string_view{prompt.data}.substr(0, prompt.data.size() - 1), '\n'))
        lines.push_back(json::parse(line));
    REQUIRE(lines.size() == 1 + things.artifacts.size());
    CHECK(lines[0] == json{{"question", "which\n\"port\"?\xEF\xBF\xBD"}, {"goal", "to\tconnect"}, {"budget", 5'000}});
    CHECK(lines[1] == json{{"id", "r0.0"},
                           {"source", "turn 1: read"},
                           {"type", "json"},
                           {"tokens", 14},
                           {"preview", "{\"port\": 8080}"}});
    for (std::size_t index = 2; index < lines.size(); ++index) {
        CHECK(lines[index].size() == 7);
        CHECK(lines[index]["error"] == true);
        CHECK(lines[index]["earlier turn"] == true);
        CHECK(lines[index]["id"].get<std::string>().starts_with("r9\n"));
    }
    CHECK(prompt.instructions.find("8080") == std::string::npos);  // no content has the authority of instructions
    CHECK(prompt.instructions.find("connect") == std::string::npos);
    for (auto const each : {strategy::include_full, strategy::summarize, strategy::extract, strategy::exclude})
        CHECK(prompt.instructions.find("\"" + std::string{name(each)} + "\"") != std::string::npos);
}

TEST_CASE("model_planner: megabytes of question, goal and facts make no long prompt") {
    std::string const much(std::size_t{1} << 20, 'x');
    asked things;
    things.add("text", {.source = much, .type = much, .preview = much});
    auto const prompt =
        condense::detail::planning_prompt(things.request(5'000_tokens, much + "which port?", "why" + much));
    CHECK(prompt.data.size() < 20'000);
    CHECK(prompt.data.find("which port?") != std::string::npos);
    CHECK(prompt.data.find("why") != std::string::npos);
    auto const umlauts = fakes::repeated("\xC3\xA4", std::size_t{1} << 19);
    auto const line = condense::detail::planning_prompt(things.request(1_tokens, umlauts)).data;
    CHECK(json::accept(line.substr(0, line.find('\n'))));
}

TEST_CASE("model_planner: reads a plan, also between other words, in a fence or in another form") {
    CHECK(read(complete) == complete_plan);
    CHECK(faults_of(complete) == plan_faults{});
    auto const list = complete.substr(14, complete.size() - 15);
    REQUIRE(list.starts_with('['));
    for (std::string const& answer :
         {"Here is the plan for [r0.0] and {others}:\n```json\n" + complete + "\n```\nI left out [d2] {so}.", list,
          "{\"plan\": " + complete + "}", "{\"artifacts\": " + list + "}", "[1, 2] " + complete,
          "{\"thoughts\": [\"none\"], \"count\": 4, " + complete.substr(1), "\xEF\xBB\xBF\r\n\t" + complete + "\n\n",
          complete + complete}) {
        CAPTURE(answer);
        CHECK(read(answer) == complete_plan);
        CHECK(faults_of(answer) == plan_faults{});
    }
    CHECK(read(R"([{"id": "d1", "strategy": "summarise"}])") == "d1 summarize 100\n");
    CHECK(read(R"([{"id": "\u0064\u0031", "strategy": "e\u0078clude", "priority": 3}])") == "d1 exclude 3\n");
    CHECK(faults_of(R"({"decisions": []})") == plan_faults{});
}

TEST_CASE("model_planner: what is no plan is one malformed decision") {
    for (std::string const& answer :
         {std::string{}, std::string{"I would include the first two, and leave out the rest."}, std::string{"{}"},
          std::string{"[]"}, std::string{"null"}, std::string{"[1, 2, 3]"}, std::string{"{\"decisions\": {}}"},
          std::string{"{\"decisions\": \"none\"}"}, std::string{"{\"decisions\""}, std::string{"{\"decisions\": ["},
          std::string{"{\"decisions\": [{\"id\": \"d1\", \"strategy\": \"excl"}, std::string{"}]{["},
          std::string(200, '['), std::string(std::size_t{1} << 20, '['), std::string(std::size_t{1} << 20, '{'),
          "{\"a\":" + std::string(500, '[') + "}", std::string("\0\0{\0", 4), std::string{"\xFF{\xFF"},
          complete + std::string(plan_reader::most_bytes, ' ')}) {
        CAPTURE(answer.substr(0, 100));
        CHECK(read(answer).empty());
        CHECK(faults_of(answer) == plan_faults{.malformed = 1});
    }
}

TEST_CASE("model_planner: of an answer that is cut off the decisions before the cut are kept") {
    std::vector<std::size_t> ends;  // behind each decision
    for (auto at = complete.find('}'); ends.size() < 4; at = complete.find('}', at + 1)) ends.push_back(at + 1);
    auto const lines = parts_of(complete_plan, '\n');
    for (std::size_t size = 0; size < complete.size(); ++size) {
        std::string kept;
        for (std::size_t index = 0; index < 4 && ends[index] <= size; ++index) kept.append(lines[index]).append("\n");
        CAPTURE(size);
        REQUIRE(read(complete.substr(0, size)) == kept);
        // The list is whole before the brace of its object.
        REQUIRE(faults_of(complete.substr(0, size)).malformed == (size == complete.size() - 1 ? 0 : 1));
    }
}

TEST_CASE("model_planner: decisions that cannot be read are counted, and the rest is kept") {
    auto const plan = plan_reader::read(R"({"decisions": [
        {"id": "d1", "strategy": "include_full", "priority": 2},
        {"id": "d2"}, {"strategy": "exclude"}, {"id": 2, "strategy": "exclude"}, {"id": "", "strategy": "exclude"},
        {"id": "d3", "strategy": "delete"}, {"id": "d3", "strategy": null}, {"id": "d3", "strategy": ["exclude"]},
        {"id": "d3", "strategy": "Exclude"}, "d4", 7, null, [], [{"id": "d5", "strategy": "exclude"}], {},
        {"id": "d6", "strategy": "exclude", "about": 5, "reason": {"a": 1}, "more": [[]]}]})");
    CHECK(spelt(plan) == "d1 include_full 2\nd6 exclude 100\n");
    CHECK(plan.faults == plan_faults{.malformed = 14});
    // Of names that are given twice in one decision the last one counts.
    CHECK(read(R"([{"id": "d1", "id": "d2", "strategy": "exclude", "strategy": "extract", "priority": 3,
                    "priority": 4}])") == "d2 extract 4\n");
    CHECK(faults_of(R"([{"id": "d1", "strategy": "exclude", "strategy": "delete"}])").malformed == 1);
}

TEST_CASE("model_planner: priorities in every spelling, and out of their range") {
    auto const priority_of = [](std::string const& value) {
        auto const plan = plan_reader::read(R"([{"id": "d1", "strategy": "exclude", "priority": )" + value + "}]");
        REQUIRE(plan.decisions.size() == 1);
        CHECK(plan.faults.all() == plan.faults.out_of_range);
        return std::to_string(plan.decisions[0].priority) + (plan.faults.out_of_range != 0 ? "!" : "");
    };
    CHECK(priority_of("1") == "1");
    CHECK(priority_of("100") == "100");
    for (std::string const seven : {"\"7\"", "7.0"}) CHECK(priority_of(seven) == "7");
    for (std::string const low : {"0", "-3", "-0"}) CHECK(priority_of(low) == "1!");
    for (std::string const other : {"101", "4294967297", "18446744073709551617", "1e1", "7.5", "\"high\"", "\"\"",
                                    "null", "true", "[1]", "{\"a\": 1}", "\".0\""})
        CHECK(priority_of(other) == "100!");
    CHECK(priority_of(std::string(10'000, '9')) == "100!");
}

TEST_CASE("model_planner: texts of a plan are on one line and short") {
    std::string const much(600'000, 'x');
    auto const plan = plan_reader::read(R"([{"id": "d1", "strategy": "extract", "about": "a\nb\u001b[2J\u202e)" + much +
                                        R"(", "reason": "\u0000\r\n)" + much.substr(0, 1'000) + R"("}])");
    REQUIRE(plan.decisions.size() == 1);
    CHECK(plan.decisions[0].about.starts_with("a b [2J x"));
    CHECK(plan.decisions[0].about.size() < 300);
    CHECK(plan.decisions[0].reason.starts_with("   x"));
    CHECK(plan.decisions[0].reason.size() < 150);
    // And there are no more decisions than the limit.
    auto many = "[" + fakes::repeated(R"({"id":"d1","strategy":"exclude"},)", 20'000);
    many.back() = ']';
    auto const cut = plan_reader::read(many);
    CHECK(cut.decisions.size() == plan_reader::most_decisions);
    CHECK(cut.faults.malformed == 10'000);
}

TEST_CASE("model_planner: asks once, with its limits, and passes the usage on") {
    auto const model = fakes::saying({complete}, {.input = 90_tokens});
    model_planner const plans{.model = model, .answer = 700_tokens, .within = {5}};
    asked things{"a", "b"};
    condense::direct_calls calls{instant{condense::detail::u64_limit}, [] { return instant{}; }};
    auto const request = things.request(500_tokens, "q");
    auto const plan = plans(request, calls);
    REQUIRE(model.calls() == 1);
    CHECK(model.held->prompts[0].data.find("\"r1.0\"") != std::string::npos);
    CHECK(model.held->limits[0].answer == 700_tokens);
    CHECK(model.held->limits[0].within == instant{5});
    CHECK(plan.usage.input == 90_tokens);
    CHECK(spelt(plan) == complete_plan);
    CHECK(things.reads == 0);
}

TEST_CASE("model_planner: where the model fails there is no plan, and it says why; a cancellation passes through") {
    CHECK(plan_of([](model_prompt const&) -> std::string { throw std::runtime_error{"the line is dead"}; }).problem ==
          "the line is dead");
    CHECK(plan_of([](model_prompt const&) -> std::string { throw 1; }).problem == "the model threw");
    auto const fails_with = [](reply<std::string> answer) {
        return plan_of([answer](model_prompt const&) { return answer; });
    };
    CHECK(fails_with({.message = complete, .error = {500, "busy"}}).problem == "busy");
    CHECK(fails_with({.error = {.status = 500}}).problem == "the planner gave no answer");
    CHECK(fails_with({}).problem == "the planner gave no answer");
    CHECK(fails_with({.usage = {.input = 9_tokens}, .error = {500, "busy"}}).usage.input == 9_tokens);
    CHECK(fails_with({.message = complete, .error = {500, "busy"}}).decisions.empty());
    // A refusal is an answer.
    CHECK(plan_of(says("I cannot help with that.")).problem.empty());
    CHECK(plan_of(says("I cannot help with that.")).faults == plan_faults{.malformed = 1});
    CHECK_THROWS_AS(plan_of([](model_prompt const&) -> std::string { throw condense::cancelled{}; }),
                    condense::cancelled);
    CHECK_THROWS_AS(plan_of([](model_prompt const&) -> std::string { fakes::throw_nested(condense::cancelled{}); }),
                    std::runtime_error);
}

TEST_CASE("model_planner: an answer behind its time is none") {
    auto const now = std::make_shared<std::uint64_t>(1'000);
    auto const clock = [now] { return instant{*now}; };
    auto const after = [now](std::uint64_t seconds) {
        return [now, seconds](model_prompt const&) {
            *now += seconds * 1'000'000'000;
            return complete;
        };
    };
    CHECK(plan_of(after(30), clock).problem.empty());
    CHECK(plan_of(after(31), clock).problem == "the answer came too late");
    CHECK(plan_of(after(31), clock).decisions.empty());
}

TEST_CASE("model_planner: any answer is survived, and read as a parser reads it") {
    static auto const pieces = parts_of(
        "{|}|[|]|,|:|\"|\\|\\u00|\\ud83d|{\"id\":\"d1\",\"strategy\":\"exclude\"},|\"id\":\"d2\",|"
        "\"strategy\":\"extract\",|\"decisions\":[|\"priority\":1e999,|\"priority\":-0.5,|99999999999999999999999|"
        "null|[[[[[[[[|{\"a\":{\"a\":|```|</artifact>|\xC3\xA4|\xFF|\xED\xA0\x80");
    std::uint64_t parsed = 0, decided = 0, malformed = 0;
    for (std::uint64_t seed = 1; seed <= rounds(10'000); ++seed) {
        shelf::numbers random{seed};
        auto answer = complete;
        for (auto left = 1 + random.below(4); left != 0; --left) {
            auto const at = random.index(answer.size() + 1);
            auto const piece = random.one_of(pieces);
            switch (random.below(9)) {
                case 0: answer.resize(at); break;
                case 1: answer.insert(at, piece); break;
                case 2: answer.insert(at, 1, static_cast<char>(random.below(256))); break;
                case 3: answer.insert(at, std::string(random.index(200), '[')); break;
                case 4: answer.insert(at, 1, '\0'); break;
                case 5: answer.erase(at, random.index(30)); break;
                case 6: answer.insert(at, answer.substr(at / 2, random.index(80))); break;
                default:
                    if (at < answer.size()) answer[at] = static_cast<char>(answer[at] ^ (1 << random.below(8)));
            }
            if (answer.empty()) break;
        }
        auto const plan = plan_reader::read(answer);
        CAPTURE(seed, answer);
        decided += plan.decisions.size();
        malformed += plan.faults.malformed;
        REQUIRE((plan.problem.empty() && plan.faults.unknown + plan.faults.repeated + plan.faults.missing == 0));
        for (auto const& each : plan.decisions) {
            REQUIRE_FALSE(each.artifact.empty());
            REQUIRE((each.priority >= 1 && each.priority <= condense::last_priority));
            REQUIRE(condense::utf8::valid(each.artifact + each.about + each.reason));
            REQUIRE(each.about.find_first_of("\n\r\x1B") == std::string::npos);
        }
        // Where a parser reads all of it, the same decisions are found.
        auto const document = json::parse(answer, nullptr, false);
        auto const key = answer.find("\"decisions\"");
        if (document.is_discarded() || !document.is_object() || !document.contains("decisions") ||
            !document["decisions"].is_array() || key == std::string::npos ||
            answer.find("\"decisions\"", key + 1) != std::string::npos || document["decisions"].empty())
            continue;
        ++parsed;
        std::vector<std::string> ids;
        for (auto const& each : document["decisions"])
            if (each.is_object() && each.contains("id") && each["id"].is_string() && each["id"] != "" &&
                each.contains("strategy") &&
                (each["strategy"] == "include_full" || each["strategy"] == "summarize" ||
                 each["strategy"] == "summarise" || each["strategy"] == "extract" || each["strategy"] == "exclude"))
                ids.push_back(each["id"].get<std::string>());
        REQUIRE(plan.decisions.size() == ids.size());
        for (std::size_t index = 0; index < ids.size(); ++index) REQUIRE(plan.decisions[index].artifact == ids[index]);
        REQUIRE(plan.faults.malformed == document["decisions"].size() - ids.size());
    }
    CHECK(parsed * 20 > rounds(10'000));
    CHECK(decided > rounds(10'000));
    CHECK(malformed > rounds(10'000) / 2);
}

// Planners of any kind

namespace {

using namespace condense::literals;
using condense::artifact_plan, condense::cancelled, condense::direct_calls, condense::plan_request, condense::planner;
using condense::detail::plan_with, condense::detail::planner_asks;

// Planners

struct plain {
    artifact_plan operator()(plan_request const& request) const { return {.problem = std::string{request.question}}; }
};
struct asking {
    static constexpr bool asks_model = true;
    artifact_plan operator()(plan_request const& request, auto&& ask) const {
        auto const model = [](condense::model_prompt const& prompt) { return "re " + prompt.data; };
        return {.problem = *ask(model, {.data = std::string{request.question}}, {}).message};
    }
};
/// Takes either; the model is preferred.
struct both : plain, asking {
    using asking::operator();
    using plain::operator();
};
struct silent {
    static constexpr bool asks_model = false;
    artifact_plan operator()(plan_request const&) const { return {}; }
};
struct changing {
    artifact_plan operator()(plan_request const&) { return {}; }
};
struct of_text {
    std::string operator()(plan_request const&) const { return {}; }
};
struct of_nothing {
    artifact_plan operator()() const { return {}; }
};

constexpr auto lambda = [](plan_request const&) { return artifact_plan{}; };
constexpr auto model = [](std::string_view) { return std::string{}; };

static_assert(planner<plain> && planner<asking> && planner<both> && planner<silent> && planner<decltype(lambda)>);
static_assert(planner<condense::rule_planner> && planner<condense::model_planner<decltype(model)>>);
static_assert(!planner<changing> && !planner<of_text> && !planner<of_nothing> && !planner<int>);
static_assert(planner_asks<asking> && planner_asks<condense::model_planner<decltype(model)>>);
static_assert(!planner_asks<plain> && !planner_asks<silent> && !planner_asks<condense::rule_planner>);

// Plans

struct wordless : std::exception {
    char const* what() const noexcept override { return ""; }
};

artifact_plan planned(auto const& plans, bool stops = false) {
    auto const none = [](plan_request::wanted_texts const&, plan_request::text_sink const&) {};
    plan_request::text_reader const reader{none};
    plan_request request{{}, 100_tokens, reader};
    request.question = "the question";
    direct_calls<> calls;
    return plan_with(plans, request, calls, fakes::stop_flag{&stops});
}

/// Throws what `act` throws.
auto throwing(auto act) {
    return [act](plan_request const&) {
        act();
        return artifact_plan{};
    };
}
}  // namespace

TEST_CASE("planner: it is given the request, and a way to ask where it takes one") {
    CHECK(planned(plain{}).problem == "the question");
    CHECK(planned(asking{}).problem == "re the question");
    CHECK(planned(both{}).problem == "re the question");
    auto const decides = [](plan_request const&) {
        return artifact_plan{.decisions = {{.artifact = "d1"}}, .usage = {.input = 7_tokens}};
    };
    auto const plan = planned(decides);
    CHECK(plan.decisions.size() == 1);
    CHECK(plan.usage.input == 7_tokens);
    CHECK(plan.problem.empty());
}

TEST_CASE(
    "planner: where it throws there is no plan, and the reason is told; a cancellation passes through, as all does on "
    "a stop") {
    CHECK(planned(throwing([] { throw std::runtime_error{"no idea"}; })).problem == "no idea");
    CHECK(planned(throwing([] { throw wordless{}; })).problem == "the planner threw");
    CHECK(planned(throwing([] { throw 7; })).problem == "the planner threw");
    CHECK(planned(throwing([] { throw std::runtime_error{"no idea"}; })).decisions.empty());
    CHECK_THROWS_AS(planned(throwing([] { throw cancelled{}; })), cancelled);
    CHECK_THROWS_WITH(planned(throwing([] { fakes::throw_nested(cancelled{}); })), "the transport failed");
    CHECK_THROWS_WITH(planned(throwing([] { throw std::runtime_error{"no idea"}; }), true), "no idea");
    CHECK_THROWS_AS(planned(throwing([] { throw 7; }), true), int);
    CHECK(planned(plain{}, true).problem == "the question");
}
