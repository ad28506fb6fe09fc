// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/summary_reply.hpp>

#include <string>

#include "support/catch.hpp"

using condense::detail::summary_reply_of;

TEST_CASE("summary_reply: an overflow is known by an error, and by a text that is one") {
    std::string const words = "prompt is too long: 210000 tokens > 200000 maximum";
    auto const by_error = summary_reply_of({.error = {.status = 400, .text = words}});
    REQUIRE(by_error.too_large);
    CHECK(by_error.too_large->limit.count == 200'000);
    CHECK_FALSE(summary_reply_of({.error = {.status = 429, .text = "slow down"}}).too_large);
    auto const by_text = summary_reply_of("Error: " + words);
    CHECK(by_text.too_large.has_value() == !by_text.problem.empty());
}
