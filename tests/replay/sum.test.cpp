// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/sum.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::replay_figures;
using condense::detail::cost_of;

constexpr bool prices_tokens() {
    return cost_of(1'000'000_tokens, {3'000'000}) == 3'000'000 && cost_of(1_tokens, {3'750'000}) == 3 &&
           cost_of(7_tokens, {500'000}) == 3 && cost_of(0_tokens, {15'000'000}) == 0 &&
           cost_of({condense::detail::u64_limit}, {15'000'000}) == condense::detail::u64_limit &&
           cost_of({condense::detail::u64_limit}, {1'000'000}) == condense::detail::u64_limit;
}
static_assert(prices_tokens());

TEST_CASE("tokens cost what their price says, and no more than can be counted") { CHECK(prices_tokens()); }

TEST_CASE("a sum has the sums of figures and the largest peak") {
    replay_figures const one{.mix = "a",
                             .conversation = "x",
                             .requests = 3,
                             .over = 1,
                             .sent = 100_tokens,
                             .peak = 60_tokens,
                             .cached = 40_tokens,
                             .hits = 1,
                             .model_failures = 2,
                             .money = 5,
                             .model_money = 3,
                             .items = {condense::fidelity{1, 2, 3}},
                             .edits = 3,
                             .edits_visible = 2,
                             .violations = 1,
                             .first_violations = {"broken"},
                             .turns = {{.message = 1}}};
    replay_figures const other{.mix = "a",
                               .conversation = "y",
                               .requests = 2,
                               .exhausted = 4,
                               .sent = 11_tokens,
                               .peak = 9_tokens,
                               .answered = 3_tokens,
                               .model_failures = 3,
                               .money = 7,
                               .model_money = 4,
                               .items = {condense::fidelity{10, 0, 0}},
                               .edits = 4,
                               .edits_visible = 1};
    auto const sum = condense::sum_of(std::vector{one, other});
    CHECK(sum.mix == "a");
    CHECK(sum.conversation.empty());
    CHECK(sum.conversations == 2);
    CHECK(sum.requests == 5);
    CHECK(sum.over == 1);
    CHECK(sum.exhausted == 4);
    CHECK(sum.sent == 111_tokens);
    CHECK(sum.peak == 60_tokens);
    CHECK(sum.answered == 3_tokens);
    CHECK(sum.cached == 40_tokens);
    CHECK(sum.hits == 1);
    CHECK(sum.money == 12);
    CHECK(sum.model_money == 7);
    CHECK(sum.model_failures == 5);
    CHECK(sum.all_items() == condense::fidelity{11, 2, 3});
    CHECK(sum.edits == 7);
    CHECK(sum.edits_visible == 3);
    CHECK(sum.turns.empty());
    CHECK(sum.first_violations == std::vector<std::string>{"x: broken"});
    CHECK(condense::sum_of(std::vector{sum, sum}).conversations == 4);
}

TEST_CASE("layers are summed by name, also where mixes differ in them") {
    replay_figures one;
    one.layers = {{.name = "record"}, {.name = "compress", .saved = 5_tokens}, {.name = "compress", .saved = 7_tokens}};
    replay_figures other;
    other.layers = {{.name = "compress", .saved = 1_tokens, .asked = 2},
                    {.name = "compress", .saved = 2_tokens},
                    {.name = "repair", .events = 3}};
    auto const sum = condense::sum_of(std::vector{one, other});
    REQUIRE(sum.layers.size() == 4);
    CHECK(sum.layers[1].saved == 6_tokens);
    CHECK(sum.layers[1].asked == 2);
    CHECK(sum.layers[2].saved == 9_tokens);
    CHECK(sum.layers[3].name == "repair");
    CHECK(sum.layers[3].events == 3);
}

TEST_CASE("the sum of layers does not depend on the order") {
    replay_figures one;
    one.layers = {{.name = "window", .events = 1}};
    replay_figures other;
    other.layers = {{.name = "offload", .events = 2}, {.name = "window", .events = 4}};
    for (auto const& both : {std::vector{one, other}, std::vector{other, one}}) {
        auto const sum = condense::sum_of(both);
        REQUIRE(sum.layers.size() == 2);
        for (auto const& layer : sum.layers) CHECK(layer.events == (layer.name == "window" ? 5u : 2u));
    }
}

TEST_CASE("a sum of nothing counts nothing, and one of many shows eight violations") {
    CHECK(condense::sum_of(std::vector<replay_figures>{}).conversations == 0);
    replay_figures many;
    many.first_violations.assign(6, "broken");
    many.violations = 6;
    auto const sum = condense::sum_of(std::vector{many, many});
    CHECK(sum.violations == 12);
    CHECK(sum.first_violations.size() == 8);
}

}  // namespace
