// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/message_cost.hpp>

#include <condense/core/reduce.hpp>
#include <condense/estimate/script_aware.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

using namespace condense::literals;
using namespace notation;
using condense::message_cost;

static_assert(condense::token_estimator<message_cost<condense::chars_per_token>>);
static_assert(message_cost{condense::chars_per_token{40, {4}}, 50_tokens}.frame(condense::role::user) ==
              condense::cost::of({50}));
static_assert(message_cost{condense::chars_per_token{40}, 50_tokens}("four") == condense::cost::of({1}));

TEST_CASE("message_cost: each message has the figure that is given, texts cost what they did", "[row-C9]") {
    conversation const history{U(letters(400)), A(letters(40))};
    auto const used = [&](auto const& count) {
        return condense::pipeline{}
            .draft(history, {.window = 10'000_tokens, .overhead = 11'000_tokens}, count)
            .report()
            .before.tokens.count;
    };
    CHECK(used(message_cost{condense::chars_per_token{40}, 50_tokens}) == 11'000 + 100 + 10 + 2 * 50);
    condense::script_aware<condense::family::claude> const plain;
    CHECK(used(message_cost{plain, 50_tokens}) == used(plain) + 2 * 48);
    CHECK(used(message_cost{plain, {}}) == used(plain) - 2 * 2);
}
