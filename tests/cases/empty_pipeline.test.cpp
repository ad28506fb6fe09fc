// SPDX-License-Identifier: BSL-1.0

// Acceptance case: a pipeline without layers.

#include "cases/runs.hpp"
#include "support/catch.hpp"

namespace {

using namespace cases;
using condense::outcome;
using condense::pipeline;

TEST_CASE("an empty pipeline does nothing", "[case-T77]") {
    conversation messages{U(), A(letters(900))};
    auto const before = messages;
    auto const report = run(messages, pipeline<>{}, {.window = 1'000_tokens});
    CHECK(messages == before);
    CHECK_FALSE(report.changed());
    CHECK(report.outcome == outcome::fits);
    CHECK(report.layers.empty());
    CHECK(run(messages, pipeline<>{}, {.window = 500_tokens}).outcome == outcome::over);
}

}  // namespace
