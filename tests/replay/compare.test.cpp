// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/compare.hpp>

#include <condense/layer/sliding_window.hpp>
#include <condense/replay.hpp>

#include "replay/replayed.hpp"
#include "support/catch.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::named;
using condense::pipeline;
using condense::used;

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
}

TEST_CASE("without conversations there are mixes, and nothing to say of them") {
    auto const made =
        condense::compare(std::vector<condense::transcript<chat_message>>{}, {}, condense::prices{}, talk::none);
    REQUIRE(made.totals().size() == 1);
    CHECK(made.totals()[0].conversations == 0);
    CHECK(made.totals()[0].mix == "none");
    CHECK(fakes::contains(made.text(), "none"));
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
    std::vector<std::size_t> lengths;
    for (std::size_t at = 0; at < text.size();) {
        auto const end = text.find('\n', at);
        lengths.push_back(end - at);
        at = end + 1;
    }
    REQUIRE(lengths.size() == 3);
    CHECK(lengths[0] == lengths[1]);
    CHECK(lengths[0] == lengths[2]);
}

}  // namespace
