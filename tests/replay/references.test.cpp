// SPDX-License-Identifier: BSL-1.0
#include "laws/references.hpp"

#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/replay/replay_one.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

// Conversations of other shapes than the recorded ones: what later answers take from earlier messages is in the request
// more often with a list of the names that have left than where as many tokens of whole messages stay.

namespace {

using namespace condense::literals;
using condense::used;

/// Both leave a third of the window after a reduction, and the second a little more.
auto const with_index = condense::pipeline{condense::summarize{.when = used >= 90_pct,
                                                               .until = used <= 8_pct,
                                                               .protect = condense::task | condense::unanswered,
                                                               .size = 1_tokens,
                                                               .with = condense::no_prose{},
                                                               .leaves = condense::name_index{.share = 25_pct}},
                                           condense::sliding_window{.when = used >= 98_pct}};
auto const with_messages = condense::pipeline{condense::sliding_window{
    .when = used >= 90_pct, .until = used <= 36_pct, .protect = condense::task | condense::unanswered}};

struct both_figures {
    condense::fidelity index, messages;
    std::uint64_t reductions = 0, violations = 0;
};

both_figures replayed(condense::tokens window, std::uint64_t conversations, std::size_t turns) {
    both_figures sum;
    for (std::uint64_t seed = 1; seed <= conversations; ++seed) {
        auto const all = laws::reference_generator{seed}.make(turns);
        condense::replay_source const source{all, condense::replay_options<>{}};
        condense::budget const limits{.window = window};
        auto const index =
            condense::replay_one(source, "", limits, condense::prices{}, condense::named{"", with_index});
        auto const messages =
            condense::replay_one(source, "", limits, condense::prices{}, condense::named{"", with_messages});
        sum.index += index.all_items();
        sum.messages += messages.all_items();
        sum.reductions += index.reductions;
        sum.violations += index.violations + messages.violations;
    }
    return sum;
}

}  // namespace

TEST_CASE("a list of names shows more of what later answers need than messages of the same size", "[law-20]") {
    for (auto const window : {2'000_tokens, 8'000_tokens}) {
        auto const found = replayed(window, rounds(200), 120);
        CAPTURE(window.count, found.index.total(), found.index.visible, found.messages.visible, found.index.labelled,
                found.messages.labelled, found.index.in_line, found.messages.in_line);
        CHECK(found.reductions > rounds(200));
        CHECK(found.violations == 0);
        CHECK(found.index.visible > found.messages.visible);
        CHECK(found.index.labelled > found.messages.labelled);
        // A list has lines of at most 160 bytes, and rows of JSON are longer.
        CHECK(found.index.in_line > found.messages.in_line / 8 * 7);
        // Of what is out of sight with messages alone it shows at least a quarter.
        auto const missed = found.messages.total() - found.messages.visible;
        CHECK(found.index.visible - found.messages.visible > missed / 4);
    }
}
