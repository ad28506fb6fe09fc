// SPDX-License-Identifier: BSL-1.0
#include <condense/core/usage.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::tokens;
using condense::usage;
using condense::usage_line;

constexpr tokens most{std::numeric_limits<std::uint64_t>::max()};

constexpr bool shares_stay_within_their_range() {
    using condense::detail::share_of;
    for (std::uint64_t value = 0; value < 20; ++value)
        for (std::uint64_t share = 0; share < 20; ++share)
            for (std::uint64_t whole = 1; whole < 20; ++whole)
                if (share_of(value, share, whole) != value * share / whole) return false;
    return share_of(most.count, 1'000, most.count) == 1'000 && share_of(most.count, 1'000, 1) == most.count &&
           share_of(most.count - 1, 1'000, most.count) <= 1'000;
}
static_assert(shares_stay_within_their_range());

}  // namespace

TEST_CASE("usage_line: what is used, in words") {
    CHECK(shares_stay_within_their_range());
    usage const now{.tokens = 12'345_tokens, .input = 180'000_tokens};
    CHECK(usage_line(now, 117'000_tokens, 40) ==
          "12,345 of 180,000 tokens (6.8 %), reduces at 117,000, about 40 turns left");
    CHECK(usage_line(now, 10'000_tokens, 40, "3,000 tokens have to come first") ==
          "12,345 of 180,000 tokens (6.8 %), reduces at 10,000, about 40 turns left; a reduction is due and waits: "
          "3,000 tokens have to come first");
    CHECK(usage_line(now, {}, 1) == "12,345 of 180,000 tokens (6.8 %), about 1 turn left");
    CHECK(usage_line(now, {}, 0) == "12,345 of 180,000 tokens (6.8 %), less than a turn left");
    CHECK(usage_line(now, 1_tokens) == "12,345 of 180,000 tokens (6.8 %), reduces at 1");
    CHECK(usage_line({.tokens = 200'000_tokens, .input = 180'000_tokens}) == "200,000 of 180,000 tokens (111.1 %)");
    CHECK(usage_line({.tokens = 5_tokens}) == "5 of 0 tokens");
    CHECK(usage_line({}) == "0 of 0 tokens");
    CHECK(usage_line({.tokens = most, .input = most}).find("(100.0 %)") != std::string::npos);
    CHECK(usage_line({.tokens = most, .input = 1_tokens}, most, most.count).size() < 200);
}
