// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/compare.hpp>

#include <condense/layer/sliding_window.hpp>
#include <condense/replay.hpp>

#include "replay/replayed.hpp"
#include "support/catch.hpp"
#include "support/fakes.hpp"
#include "support/parts.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::named, condense::pipeline, condense::used, condense::fidelity, condense::item_kind,
    condense::replay_figures;
using condense::detail::cost_of;

conversation talked(std::size_t turns) {
    conversation told;
    for (std::size_t turn = 0; turn < turns; ++turn)
        told += {U("step_" + std::to_string(turn) + letters(90, ' ')), A("did step_" + std::to_string(turn / 2))};
    return told;
}

named const window{"window", pipeline{condense::sliding_window{.when = used >= 90_pct}}};

TEST_CASE("all mixes on all conversations, and their totals in order") {
    std::vector const told{condense::transcript{"short", talked(2)}, condense::transcript{"long", talked(20)}};
    auto const made =
        condense::compare(told, {.window = 1'000_tokens}, condense::prices{}, talk::bytes, window, talk::none);
    REQUIRE(made.all.size() == 4);
    CHECK(made.all[0].mix == "window");
    CHECK(made.all[0].conversation == "short");
    CHECK(made.all[1].mix == "none");
    CHECK(made.all[3].conversation == "long");
    auto const totals = made.totals();
    REQUIRE(totals.size() == 2);
    CHECK(totals[0].mix == "window");
    CHECK(totals[0].conversations == 2);
    CHECK(totals[0].requests == 22);
    CHECK(totals[0].sent == made.all[0].sent + made.all[2].sent);
    CHECK(totals[0].over == 0);
    CHECK(totals[1].over > 0);
    CHECK(totals[0].all_items().lost > 0);
    CHECK(totals[1].all_items().lost > 0);  // in requests that are over
    CHECK(totals[0].all_items().total() == totals[1].all_items().total());
    CHECK(totals[0].violations == 0);
}

TEST_CASE("containers of messages are conversations by their place, tokens estimated by default") {
    std::vector const told{talked(2), talked(3)};
    auto const made = condense::compare(told, {.window = 1'000_tokens}, condense::prices{}, talk::none);
    REQUIRE(made.all.size() == 2);
    CHECK(made.all[0].conversation == "1");
    CHECK(made.all[1].conversation == "2");
    CHECK(made.all[1].requests == 3);
    // Without conversations there are mixes, and nothing to say of them.
    auto const empty =
        condense::compare(std::vector<condense::transcript<chat_message>>{}, {}, condense::prices{}, talk::none);
    REQUIRE(empty.totals().size() == 1);
    CHECK(empty.totals()[0].conversations == 0);
    CHECK(empty.totals()[0].mix == "none");
    CHECK(fakes::contains(empty.text(), "none"));
}

TEST_CASE("a table has a line for each mix, in columns") {
    condense::comparison made{.mixes = {"a\n\x1B[31m", letters(60, 'b')}};
    condense::replay_figures one{.mix = made.mixes[0],
                                 .requests = 1'234,
                                 .sent = 1'000_tokens,
                                 .peak = 7_tokens,
                                 .cached = 555_tokens,
                                 .money = 12'345'678,
                                 .time = {5'000'000}};
    one.items[0] = {.visible = 2, .recoverable = 1, .lost = 1};
    made.all.push_back(one);
    auto const text = made.text();
    for (auto const* const figure : {"1,234", "55.5", "12.34", "50.0", "25.0"}) CHECK(fakes::contains(text, figure));
    CHECK_FALSE(fakes::contains(text, "\x1B"));
    auto const lines = parts_of(text, '\n');
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].size() == lines[1].size());
    CHECK(lines[0].size() == lines[2].size());
    CHECK(lines[3].empty());
}

// Figures and their sums

constexpr bool adds_up() {
    fidelity sum{.visible = 2, .recoverable = 2, .lost = 3, .labelled = 1, .in_line = 2};
    sum += {.visible = 10, .lost = 5, .labelled = 7, .in_line = 6};
    return sum == fidelity{12, 2, 8, 8, 8} && sum.total() == 22;
}

TEST_CASE("fidelity adds up by place and over kinds, which have names of their own") {
    CHECK_TWICE(adds_up());
    condense::replay_figures figures;
    figures.items[static_cast<std::size_t>(item_kind::word)] = {1, 2, 3};
    figures.items[static_cast<std::size_t>(item_kind::quoted)] = {4, 0, 1};
    CHECK(figures.all_items() == fidelity{5, 2, 4});
    std::vector<std::string_view> names;
    for (std::size_t kind = 0; kind < condense::item_kinds; ++kind) names.push_back(name(static_cast<item_kind>(kind)));
    CHECK(names == std::vector<std::string_view>{"word", "id", "path", "number", "quoted"});
}

constexpr bool prices_tokens() {
    return cost_of(1'000'000_tokens, {3'000'000}) == 3'000'000 && cost_of(1_tokens, {3'750'000}) == 3 &&
           cost_of(7_tokens, {500'000}) == 3 && cost_of(0_tokens, {15'000'000}) == 0 &&
           cost_of({condense::detail::u64_limit}, {15'000'000}) == condense::detail::u64_limit &&
           cost_of({condense::detail::u64_limit}, {1'000'000}) == condense::detail::u64_limit;
}

TEST_CASE("a sum has the sums of figures and the largest peak") {
    CHECK_TWICE(prices_tokens());
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
    // In any order.
    one.layers = {{.name = "window", .events = 1}};
    other.layers = {{.name = "offload", .events = 2}, {.name = "window", .events = 4}};
    for (auto const& both : {std::vector{one, other}, std::vector{other, one}}) {
        auto const summed = condense::sum_of(both).layers;
        REQUIRE(summed.size() == 2);
        for (auto const& layer : summed) CHECK(layer.events == (layer.name == "window" ? 5u : 2u));
    }
}

TEST_CASE(
    "a sum of nothing counts nothing, one of many shows eight violations, and figures fit unless a request was too "
    "large") {
    CHECK(condense::sum_of(std::vector<replay_figures>{}).conversations == 0);
    replay_figures many;
    many.first_violations.assign(6, "broken");
    many.violations = 6;
    auto const sum = condense::sum_of(std::vector{many, many});
    CHECK(sum.violations == 12);
    CHECK(sum.first_violations.size() == 8);
    condense::replay_figures figures;
    CHECK(figures.fits());
    figures.over = 1;
    CHECK_FALSE(figures.fits());
    figures.over = 0;
    figures.exhausted = 1;
    CHECK_FALSE(figures.fits());
}

}  // namespace
