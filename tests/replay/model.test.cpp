// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/model.hpp>

#include <condense/llm/prompt.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::replay_model;

replay_model counting_bytes() {
    return replay_model{[](std::string_view text) { return condense::tokens{text.size()}; }};
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
        auto const answer = model(prompt, {.answer = 5'000_tokens});
        auto wanted = std::max<std::size_t>(prompt.size() / 10, 300);
        wanted = std::min({wanted, std::size_t{1'500}, prompt.size() / 3});
        CHECK(answer.size() <= wanted);
        CHECK(answer.size() >= wanted - wanted / 2);
    }
    CHECK(model(lines(1'000), {.answer = 400_tokens}).size() <= 400);
    CHECK(model(lines(1'000), {}).size() > 1'000);
}

TEST_CASE("an answer is of the prompt, from all over it, and the same again") {
    auto const prompt = lines(10'000);
    auto const model = counting_bytes();
    auto const answer = model(prompt, {});
    CHECK(answer == counting_bytes()(prompt, {}));
    CHECK(answer.find("line 0 ") != std::string::npos);
    CHECK((answer.find("line 8") != std::string::npos || answer.find("line 9") != std::string::npos));
}

TEST_CASE("names that come again are in the answer") {
    auto prompt = lines(400);
    prompt.insert(1'000, "\nonce_only\n");
    prompt.insert(3'000, "\nsrc/first.cpp and retry_count\n");
    prompt.insert(9'000, "\nretry_count in src/first.cpp, retry_count\n");
    auto const answer = counting_bytes()(prompt, {});
    CHECK(answer.substr(0, 28) == "retry_count, src/first.cpp,\n");
    CHECK(answer.find("once_only") == std::string::npos);
}

TEST_CASE("what the library says to a model is no part of the answer") {
    condense::summary_prompt prompt;
    for (int at = 0; at < 60; ++at)
        prompt.see(condense::role::user, {.text = "rename the flag in step " + std::to_string(at)}, false);
    auto const answer = counting_bytes()(prompt.text(500_tokens), {.answer = 500_tokens});
    CHECK(answer.find("rename the flag") != std::string::npos);
    CHECK(answer.find("Sections") == std::string::npos);
    CHECK(answer.find("<transcript") == std::string::npos);
}

TEST_CASE("copies share what they were asked") {
    auto const model = counting_bytes();
    auto const copy = model;
    auto const prompt = lines(100);
    auto const answer = copy(prompt, {});
    CHECK(model.figures() == condense::replay_model_figures{1, {prompt.size()}, {answer.size()}});
}

TEST_CASE("no prompt is too strange for it") {
    for (auto const& text : talk::hostile_texts()) {
        auto const model = counting_bytes();
        CHECK(model(text, {}).size() <= 1'500);
        CHECK(model(text, {.answer = {~0ull}}).size() <= 1'500);
        CHECK(replay_model{}(text, {}).size() <= text.size());
    }
}

}  // namespace
