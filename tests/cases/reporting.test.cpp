// SPDX-License-Identifier: BSL-1.0
#include <condense/core/provider_usage.hpp>
#include <condense/session/recent_events.hpp>

#include <cstddef>
#include <cstdint>

#include "support/catch.hpp"

// What is told of a conversation that goes on.

using namespace condense::literals;

TEST_CASE("the context is the input, the cached input and the answer", "[case-T92]") {
    condense::provider_usage const told{
        .input = 1'000_tokens, .output = 500_tokens, .cache_read = 200_tokens, .cache_write = 100_tokens};
    CHECK(told.context() == 1'800_tokens);
}

TEST_CASE("of ten events the newest five are kept, in order", "[case-148]") {
    condense::recent_events<5> seen;
    for (std::uint64_t turn = 1; turn <= 10; ++turn)
        condense::detail::tell(seen, condense::events::usage_missing{.turn = turn});
    REQUIRE(seen.size() == 5);
    for (std::size_t index = 0; index < 5; ++index)
        CHECK(seen[index] == condense::events::usage_missing{.turn = 6 + index}.text());
}
