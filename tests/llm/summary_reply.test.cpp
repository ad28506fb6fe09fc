// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/summary_reply.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::reply, condense::detail::summary_reply_of;

std::string problem_of(reply<std::string> given) {
    return std::string{std::string_view{summary_reply_of(std::move(given)).problem}};
}

}  // namespace

TEST_CASE("summary_reply: a summary has no problem, an error, a cut answer and a refusal have one") {
    auto const good = summary_reply_of(std::string{"They fixed the parser and ran the tests."});
    CHECK(good.problem.empty());
    CHECK(good.text == "They fixed the parser and ran the tests.");
    CHECK_FALSE(good.too_large);
    CHECK(problem_of({.error = {.status = 500, .text = "overloaded"}}) == "overloaded");
    CHECK(problem_of({.error = {.status = 500}}) == "the model gave an error");
    CHECK(problem_of({.message = "They fixed the", .stop = "max_tokens"}) == "the summary is not complete: max_tokens");
    CHECK_FALSE(problem_of({.message = ""}).empty());
    CHECK_FALSE(problem_of({.message = "I'm sorry, but I can't help with that."}).empty());
}

TEST_CASE("summary_reply: an overflow is known by an error, and by a text that is one") {
    std::string const words = "prompt is too long: 210000 tokens > 200000 maximum";
    auto const by_error = summary_reply_of({.error = {.status = 400, .text = words}});
    REQUIRE(by_error.too_large);
    CHECK(by_error.too_large->limit.count == 200'000);
    CHECK_FALSE(summary_reply_of({.error = {.status = 429, .text = "slow down"}}).too_large);
    auto const by_text = summary_reply_of("Error: " + words);
    CHECK(by_text.too_large.has_value() == !by_text.problem.empty());
}
