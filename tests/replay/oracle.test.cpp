// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/oracle.hpp>

#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>

#include "replay/replayed.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::replay_oracle;
using condense::used;
using script_type = condense::detail::replay_script<chat_message, per_byte>;

/// Answers take names from the first messages, the last one needed first.
conversation asks_late() {
    return {U("first_name, second_name, third_name, idle_name"),
            A("x"),
            U("fourth_name"),
            A("third_name"),
            U("second_name"),
            A("second_name and fourth_name"),
            U("go on"),
            A("first_name")};
}

struct fixture {
    conversation told = asks_late();
    script_type script{told, {}};
    condense::detail::item_index items{script};
    std::vector<condense::detail::sent_message> request;
    replay_oracle oracle;

    /// A summary of the first message, before this answer.
    std::string written(std::size_t answer, condense::chars limit = 100_chars, std::size_t seen = 1) {
        oracle.begin(items, script.readings(), request);
        oracle.turn(answer);
        auto notes = oracle.open();
        for (std::size_t index = 0; index < seen; ++index)
            condense::each_part(told[index], [&](condense::part_view const& part) {
                notes.see(condense::role_of(told[index]), part, false);
            });
        return notes.text(limit);
    }
};

TEST_CASE("an oracle lists what is needed and will not be said again, soonest first") {
    fixture all;
    CHECK(all.written(1) == "third_name, first_name");
    CHECK(all.written(2) == "first_name");
    CHECK(all.written(1, 100_chars, 3) == "third_name, fourth_name, first_name");
}

TEST_CASE("what fits is listed, whatever does not") {
    fixture all;
    CHECK(all.written(1, 12_chars) == "third_name");
    CHECK(all.written(1, 11_chars).empty());
    CHECK(all.written(1, 24_chars) == "third_name, first_name");
}

TEST_CASE("outside a replay an oracle knows nothing") {
    replay_oracle const oracle;
    auto notes = oracle.open();
    notes.see(condense::role::user, {.text = "first_name"}, false);
    CHECK(notes.text(100_chars).empty());
    CHECK(oracle == oracle);
    CHECK_FALSE(oracle == replay_oracle{});
}

TEST_CASE("a mix with an oracle shows what dropping to the same depth loses") {
    conversation told{U("first_name " + letters(300, ' ') + "x")};
    for (int turn = 0; turn < 12; ++turn) told += {A("did " + letters(100, ' ') + "x"), U("more")};
    told += {A("first_name")};
    condense::sliding_window const window{
        .when = used >= 90_pct, .until = used <= 50_pct, .protect = condense::nothing};
    auto const dropped = talk::replayed(told, condense::pipeline{window});
    CHECK(dropped.all_items().lost == 1);
    auto const listed = talk::replayed(told, [&](auto& edges) {
        return condense::pipeline{
            condense::summarize{
                .when = used >= 90_pct, .until = used <= 50_pct, .protect = condense::nothing, .with = edges.oracle},
            window};
    });
    CHECK(listed.all_items() == condense::fidelity{.visible = 1, .labelled = 1});
    CHECK(listed.violations == 0);
    CHECK(listed.over == 0);
}

}  // namespace
