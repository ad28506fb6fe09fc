// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/on_prefix.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;
using condense::on_prefix;

/// A client that remembers the request and the instruction behind it.
struct client {
    struct state {
        std::vector<std::string> request = {};
        std::string instruction = {};
        condense::ask_limits limits = {};
        reply<std::string> answer = {.message = "They worked."};
    };
    state* at;

    reply<std::string> ask_after(auto const& messages, std::string_view instruction,
                                 condense::ask_limits limits) const {
        at->request.clear();
        for (auto const& message : messages) at->request.push_back(text_of(message));
        at->instruction = instruction;
        at->limits = limits;
        return at->answer;
    }
};

auto mix_of(client::state& state) {
    return pipeline{summarize{.when = used >= 80_pct,
                              .until = used <= 20_pct,
                              .asks_for = condense::four_sections,
                              .with = on_prefix{client{&state}}}};
}

/// Six rounds.
template <class Mix>
auto session_of(Mix const& mix) {
    return holding(
        mix,
        conversation{S("rules"), U("the task")} + fakes::tool_rounds(0, 6, {.size = 880}) + conversation{U("latest")},
        {.window = 6'000_tokens});
}

static_assert(condense::summarizer<on_prefix<client>>);

}  // namespace

TEST_CASE("on_prefix: the model is asked behind the request as it was sent") {
    client::state state;
    auto session = session_of(mix_of(state));
    std::vector<std::string> sent;
    for (auto const& message : session.request()) sent.push_back(text_of(message));
    auto const report = session.prepare();
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[0].asked == 1);
    CHECK(state.request == sent);
    CHECK(state.instruction.find("Summarise the conversation above for the assistant") == 0);
    CHECK(contains(state.instruction, "\n## Artifacts\n"));
    CHECK(contains(state.instruction, " stay word for word."));
    CHECK_FALSE(contains(state.instruction, "<transcript"));
    CHECK(state.limits.answer.count != 0);
    CHECK(text_of(*++session.request().begin()).find("the task") == 0);
    CHECK(session.used().tokens < 3'000_tokens);
}

TEST_CASE("on_prefix: a refusal, an overflow or the prompt itself changes nothing") {
    for (reply<std::string> const& answer :
         {reply<std::string>{.error = {400, "prompt is too long: 9 tokens > 8 maximum"}},
          reply<std::string>{.message = "I'm sorry, but I can't assist with that."},
          reply<std::string>{.message = "Summarise the conversation above for the assistant"},
          reply<std::string>{.message = "They worked", .stop = "length"}}) {
        client::state state{.answer = answer};
        auto session = session_of(mix_of(state));
        auto const before = session.used();
        auto const report = session.prepare();
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(session.used() == before);
    }
}

TEST_CASE("on_prefix: a dry run asks nothing") {
    client::state state;
    auto session = session_of(mix_of(state));
    CHECK(session.draft().layers[0].asked == 1);
    CHECK(state.request.empty());
}

TEST_CASE("on_prefix: where nothing may go it asks nothing and says why") {
    client::state state;
    pipeline const mix{
        summarize{.when = used >= 80_pct, .protect = last(40_messages), .with = on_prefix{client{&state}}}};
    auto session = session_of(mix);
    auto const report = session.prepare();
    CHECK(report.layers[0].asked == 0);
    CHECK(state.request.empty());
    CHECK(report.layers[0].note == "nothing to do: all that it could take is within the newest 21 messages");
}
