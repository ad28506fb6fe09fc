// SPDX-License-Identifier: BSL-1.0

// small_model URL free|sentence: sixty turns whose summaries a language model at URL writes, in a session that is far
// too small for them. `sentence`: the server lets the model write a short sentence and no more, so that its answers are
// complete; `free`: they seldom are. small_model_test.py runs it.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <source_location>

#include <condense/adapt/json.hpp>
#include <condense/client/openai_client.hpp>
#include <condense/condense.hpp>

namespace {

using json = nlohmann::ordered_json;

void expect(bool holds, std::string_view what, std::source_location const at = std::source_location::current()) {
    if (holds) return;
    std::printf("FAIL  line %u: %.*s\n", static_cast<unsigned>(at.line()), static_cast<int>(what.size()), what.data());
    std::exit(1);
}

/// What the model was asked for, and what it said.
struct dialogue {
    std::vector<std::string> answers = {};
    unsigned overflows = 0;
    unsigned cut = 0;  ///< at their longest

    void note(condense::reply<std::string> const& answer) {
        if (condense::overflow_of(answer.error.status, answer.error.text)) ++overflows;
        else expect(!answer.error, answer.error.text);
        if (answer.stop == "length") ++cut;
        else if (answer.message) answers.push_back(*answer.message);
    }
};

/// The text of the one live summary, empty if there is none. Checks the request as a provider would.
std::string check_request(auto const& request) {
    std::vector<std::string> waiting;
    std::string summary;
    for (json const& m : request) {
        auto const content = m.value("content", json{}).is_string() ? m["content"].get<std::string>() : std::string{};
        if (m["role"] == "tool") {
            auto const call = std::find(waiting.begin(), waiting.end(), m["tool_call_id"].get<std::string>());
            expect(call != waiting.end(), "a result without its call");
            waiting.erase(call);
            continue;
        }
        expect(waiting.empty(), "a call without its result");
        if (m.contains("tool_calls"))
            for (auto const& call : m["tool_calls"]) waiting.push_back(call["id"].get<std::string>());
        auto const begin = content.find("\n<summary>\n");
        if (begin == content.npos) continue;
        expect(m["role"] == "user" && summary.empty(), "two summaries, or one that is not the user's");
        summary = content.substr(begin + 11, content.find("\n</summary>") - begin - 11);
        expect(!summary.empty(), "an empty summary");
    }
    expect(waiting.empty(), "a call without its result at the end");
    return summary;
}

std::string_view town(int turn) {
    constexpr std::string_view towns[] = {"Aldmoor", "Brenford", "Castra", "Dunwyke", "Elmstow", "Farrow", "Glimsby"};
    return towns[turn % 7];
}

void push_turn(auto& session, int turn) {
    std::string const place{town(turn)};
    std::string const id = "call_" + std::to_string(turn);
    std::string const crates = std::to_string(100 + 37 * turn) + " crates of salt";
    session.push(json{{"role", "user"}, {"content", "How much salt is in the warehouse at " + place + "?"}});
    json const call{{"id", id},
                    {"type", "function"},
                    {"function", {{"name", "count_goods"}, {"arguments", json{{"town", place}}.dump()}}}};
    session.push(json{{"role", "assistant"}, {"content", nullptr}, {"tool_calls", json::array({call})}});
    session.push(json{{"role", "tool"}, {"tool_call_id", id}, {"content", crates + " were counted at " + place}});
    session.push(
        json{{"role", "assistant"}, {"content", "There are " + crates + " in the warehouse at " + place + "."}});
}

}  // namespace

int main(int count, char** given) {
    using namespace condense::literals;
    using condense::used;
    if (count != 3) return 2;
    bool const bounded = std::strcmp(given[2], "sentence") == 0;

    condense::openai_client const model{{.model = "SmolLM2-135M", .base_url = given[1]}};
    dialogue said;
    auto const ask = [&](condense::model_prompt const& prompt, condense::ask_limits limits) {
        auto answer = model(prompt, limits);
        said.note(answer);
        return answer;
    };
    condense::pipeline const mix{
        condense::summarize{
            .when = used >= 80_pct, .asks_for = "Say in two sentences where salt was counted.", .with = ask},
        condense::sliding_window{.when = used >= 90_pct}};
    condense::session session{json::array_t{}, mix, condense::budget{.window = 2'500_tokens, .output = 200_tokens}};

    unsigned asked = 0, applied = 0, refused = 0;
    std::string summary;
    for (int turn = 0; turn < 60; ++turn) {
        push_turn(session, turn);
        auto const report = session.prepare();
        expect(report.fits(), report.text());
        auto const& layer = report.layers[0];
        auto const now = check_request(session.request());
        asked += layer.asked;
        if (layer.asked == 0) continue;
        std::printf("turn %d: %s, %llu of %llu tokens left, asked %u: %s\n", turn,
                    std::string{name(layer.outcome)}.c_str(),
                    static_cast<unsigned long long>(report.after.tokens.count),
                    static_cast<unsigned long long>(report.before.tokens.count), layer.asked,
                    std::string{std::string_view{layer.note}}.c_str());
        if (layer.outcome != condense::layer_outcome::applied) {
            ++refused;
            continue;
        }
        ++applied;
        expect(report.after.tokens < report.before.tokens, "the request has not become smaller");
        // Fenced and cut, it begins with what the model has said.
        expect(
            !now.empty() && condense::fenced_summary(said.answers.back()).find(now.substr(0, 40)) != std::string::npos,
            "the model's answer is not the summary");
        summary = now;
    }
    auto const& history = session.history();
    expect(history.size() == 240 && session.request().size() < 240, "the originals are not all there");
    std::printf(
        "%s: asked %u times, %u overflows, %u cut at their longest; %u rounds applied, %u refused\nsummary: %s\n",
        given[2], asked, said.overflows, said.cut, applied, refused, summary.c_str());
    expect(asked > 1, "the model was not asked twice");
    if (!bounded) return 0;
    expect(applied >= 2, "fewer than two rounds were applied");
    expect(said.overflows > 0, "no prompt has overflowed the model's window");

    session.push(json{{"role", "user"}, {"content", "How much salt is in the warehouse at Castra?"}});
    auto const result = session.call(model);
    expect(static_cast<bool>(result), result.error.text);
    expect(result.attempts == 2, "the request has not overflowed the model's window");
    expect((*result.answer)["role"] == "assistant" && !(*result.answer)["content"].get<std::string>().empty(),
           "no answer");
    expect(session.used().source == condense::usage_source::reported, "no usage was reported");
    std::printf("answer: %s\n", (*result.answer)["content"].get<std::string>().c_str());
}
