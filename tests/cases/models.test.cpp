// SPDX-License-Identifier: BSL-1.0
#include <string>
#include <string_view>

#include <condense/condense.hpp>
#include <condense/estimate/models.hpp>

#include "support/catch.hpp"

using namespace condense::literals;
using condense::find_model;

TEST_CASE("an unknown model has the documented default window", "[case-180]") {
    for (std::string_view const name :
         {"", "gpt", "claude", "claude-opus", "gpt-4o-audio-of-mine", "gemini-2", "no such model"}) {
        auto const found = find_model(name);
        CAPTURE(name);
        CHECK_FALSE(found.known());
        CHECK(found.facts.window == 128'000_tokens);
        CHECK(budget_for(found).window == condense::default_window);
    }
    CHECK(find_model("claude-sonnet-4-5-20250929").facts.window == 200'000_tokens);
    CHECK(find_model("claude-opus-4-5-20251101").facts.window == 200'000_tokens);
    CHECK(find_model("gpt-4o").facts.window == 128'000_tokens);
    CHECK(find_model("gpt-4-turbo").facts.window == 128'000_tokens);
    CHECK(find_model("gemini-1.5-pro").facts.window == 1'000'000_tokens);
    CHECK(find_model("gemini-2.5-flash").facts.window >= 1'000'000_tokens);
}
