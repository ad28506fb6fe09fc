// SPDX-License-Identifier: BSL-1.0
#include <condense/core/provider_usage.hpp>

#include "support/catch.hpp"

// What is told of a conversation that goes on.

using namespace condense::literals;

TEST_CASE("the context is the input, the cached input and the answer", "[case-T92]") {
    condense::provider_usage const told{
        .input = 1'000_tokens, .output = 500_tokens, .cache_read = 200_tokens, .cache_write = 100_tokens};
    CHECK(told.context() == 1'800_tokens);
}
