// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/model.hpp>

#include <condense/llm/prompt.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::default_estimator, condense::replay_model;
using talk::role;

replay_model counting_bytes() {
    return replay_model{[](std::string_view text) { return condense::cost::of({text.size()}); }, {}};
}

std::string answer_of(replay_model const& model, std::string_view prompt, condense::ask_limits limits = {}) {
    return model(prompt, limits).message.value();
}

std::string lines(std::size_t count) {
    std::string all;
    for (std::size_t at = 0; at < count; ++at)
        all += "line " + std::to_string(at) + " of the conversation, with some words\n";
    return all;
}

TEST_CASE("answers are as long as summaries are") {
    auto const model = counting_bytes();
    for (std::size_t const count : {1u, 20u, 100u, 300u, 10'000u}) {
        auto const prompt = lines(count);
        auto const answer = answer_of(model, prompt, {.answer = 5'000_tokens});
        auto wanted = std::max<std::size_t>(prompt.size() / 10, 300);
        wanted = std::min({wanted, std::size_t{1'500}, prompt.size() / 3});
        CHECK(answer.size() <= wanted);
        CHECK(answer.size() >= wanted - wanted / 2);
    }
    CHECK(answer_of(model, lines(1'000), {.answer = 400_tokens}).size() <= 400);
    CHECK(answer_of(model, lines(1'000)).size() > 1'000);
}

TEST_CASE("an answer is of the prompt, from all over it, and the same again") {
    auto const prompt = lines(10'000);
    auto const answer = answer_of(counting_bytes(), prompt);
    CHECK(answer == answer_of(counting_bytes(), prompt));
    CHECK(answer.find("line 0 ") != std::string::npos);
    CHECK((answer.find("line 8") != std::string::npos || answer.find("line 9") != std::string::npos));
}

TEST_CASE("names that come again are in the answer") {
    auto prompt = lines(400);
    prompt.insert(1'000, "\nonce_only\n");
    prompt.insert(3'000, "\nsrc/first.cpp and retry_count\n");
    prompt.insert(9'000, "\nretry_count in src/first.cpp, retry_count\n");
    auto const answer = answer_of(counting_bytes(), prompt);
    CHECK(answer.substr(0, 28) == "retry_count, src/first.cpp,\n");
    CHECK(answer.find("once_only") == std::string::npos);
}

TEST_CASE("what the library says to a model is no part of the answer") {
    condense::summary_prompt prompt;
    for (int at = 0; at < 60; ++at)
        prompt.see(condense::role::user, {.text = "rename the flag in step " + std::to_string(at)}, false);
    auto const answer = answer_of(counting_bytes(), prompt.write(500_tokens).text(), {.answer = 500_tokens});
    CHECK(answer.find("rename the flag") != std::string::npos);
    CHECK(answer.find("Sections") == std::string::npos);
    CHECK(answer.find("<transcript") == std::string::npos);
}

TEST_CASE("copies share what they were asked") {
    auto const model = counting_bytes();
    auto const copy = model;
    auto const prompt = lines(100);
    auto const answer = copy(prompt, {});
    condense::tokens const size{answer.message.value().size()};
    CHECK(model.figures() == condense::replay_model_figures{1, {prompt.size()}, size});
    CHECK(answer.usage == condense::provider_usage{.input = {prompt.size()}, .output = size});
}

TEST_CASE("behind a request, what the latest one held is read from the cache") {
    auto const model = counting_bytes();
    std::vector<talk::line> told{
        {role::user, lines(40)}, {role::assistant, "the answer is in src/main.cpp"}, {role::user, lines(20)}};
    auto const size_of = [&](std::size_t first, std::size_t end) {
        std::size_t sum = 0;
        for (; first < end; ++first) sum += told[first].words.size();
        return condense::tokens{sum};
    };
    auto const asked = [&](condense::ask_limits limits = {}) { return model.ask_after(told, "sum up", limits); };
    CHECK(asked().usage.cache_read == 0_tokens);
    std::vector<condense::detail::sent_message> request;
    model.begin(request, {.window = 5'000_tokens, .overhead = 100_tokens});
    CHECK(asked().usage.cache_read == 0_tokens);
    for (auto const& message : {told[0], told[1]})
        request.push_back({.print = condense::detail::read_message(message).print});
    auto const made = asked({.answer = 400_tokens});
    CHECK(made.usage.cache_read == size_of(0, 2) + 100_tokens);
    CHECK(made.usage.input == size_of(2, 3) + 6_tokens);
    CHECK(made.usage.output == condense::tokens{made.message.value().size()});
    CHECK(made.message->find("line 1") != std::string::npos);
    request.erase(request.begin());  // what comes behind a difference is not in the cache, though it is the same
    CHECK(asked().usage.cache_read == 100_tokens);
    auto const calls = model.figures().calls;
    auto const room = condense::tokens{5'000} - size_of(0, 3) - 106_tokens;
    CHECK(asked({.answer = room}).message);
    auto const refused = asked({.answer = room + 1_tokens});
    CHECK(condense::overflow_of(refused.error.status, refused.error.text));
    CHECK(refused.usage == condense::provider_usage{});
    CHECK(model.figures().calls == calls + 2);
    CHECK(model.figures().failures == 1);
}

TEST_CASE("another model gets the prompts, and its failures are counted") {
    std::string seen;
    replay_model const model{default_estimator<>{}, [&](condense::model_prompt const& prompt, condense::ask_limits) {
                                 seen = prompt.instructions + "|" + prompt.data;
                                 condense::reply<std::string> made{
                                     .message = prompt.data,
                                     .usage = {.input = 5_tokens, .output = 2_tokens, .cache_read = 3_tokens}};
                                 if (prompt.data == "cut") made.stop = "length";
                                 if (prompt.data == "error") made = {.error = {.status = 500, .text = "no"}};
                                 return made;
                             }};
    CHECK(model({.instructions = "write", .data = "all is well"}, {}).message == "all is well");
    CHECK(seen == "write|all is well");
    CHECK(model.figures() == condense::replay_model_figures{1, 8_tokens, 2_tokens, 0});
    for (auto const* const data : {"cut", "error", "", "I'm sorry, but I can't help with that."})
        static_cast<void>(model({.instructions = "write", .data = data}, {}));
    CHECK(model.figures() == condense::replay_model_figures{5, 32_tokens, 8_tokens, 4});
    seen = {};  // nor is it asked behind a request
    CHECK(model.ask_after(std::vector<talk::line>{{role::user, lines(100)}}, "sum up").message);
    CHECK(seen.empty());
}

TEST_CASE("no prompt is too strange for it") {
    for (auto const& text : talk::hostile_texts()) {
        auto const model = counting_bytes();
        CHECK(answer_of(model, text).size() <= 1'500);
        CHECK(answer_of(model, text, {.answer = {~0ull}}).size() <= 1'500);
        CHECK(answer_of(replay_model{}, text).size() <= text.size());
    }
}

}  // namespace
