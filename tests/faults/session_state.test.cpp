// SPDX-License-Identifier: BSL-1.0
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/condense.hpp>
#include <condense/store/memory_journal.hpp>

#include "faults/harness.hpp"
#include "support/catch.hpp"
#include "support/messages/chat.hpp"

// A session that takes in a state: whatever fails, it is as it was before, and takes the state afterwards.

using condense::chat_message;
using namespace condense::literals;
using condense::used;

TEST_CASE("faults: adopting a state happens at once or not at all", "[law-7]") {
    auto const mix = condense::pipeline{
        condense::record{.to = condense::memory_journal{}},
        condense::compress{
            .when = used >= 30_pct, .over = 300_chars, .with = condense::head_tail{.head = 40_chars, .tail = 40_chars}},
        condense::sliding_window{.when = used >= 50_pct}, condense::repair{}};
    auto const fresh = [&] {
        return condense::session{std::vector<chat_message>{}, mix, condense::budget{.window = {1'000}},
                                 faults::touchy_estimator{}};
    };
    auto filled = fresh();
    for (auto const& m : faults::eventful_conversation()) {
        filled.push(m);
        static_cast<void>(filled.prepare());
    }
    filled.abandon("5");
    static_cast<void>(filled.run());
    filled.release({8});
    static_cast<void>(filled.request());
    auto const kept = filled.state();
    REQUIRE(kept);
    REQUIRE_FALSE(kept.state.steps.empty());
    std::uint64_t points = 1;
    for (std::uint64_t failing = 0; failing <= points; ++failing) {
        auto session = fresh();
        auto state = kept.state;
        bool threw = false;
        {
            faults::watch const on{failing};
            try {
                if (session.adopt(std::move(state))) FAIL("refused");
            } catch (std::exception const&) { threw = true; }
            if (failing == 0) points = faults::passed;
        }
        if (threw != (failing != 0)) FAIL("point " + std::to_string(failing) + " of " + std::to_string(points));
        if (threw) {
            bool const untouched = session.history().empty() && session.outline().size() == 0 &&
                                   session.edits().steps().empty() && session.request().size() == 0 &&
                                   session.used().tokens.count == 0 && session.statistics().runs == 0 &&
                                   session.turns() == condense::turn_tracker{} && !session.undo();
            if (!untouched) FAIL("changed by a failure at point " + std::to_string(failing));
            if (session.adopt(kept.state)) FAIL("refused after a failure");
        }
        if (forms::request_of(session) != forms::request_of(filled)) FAIL("not the session that was saved");
    }
    CHECK(points > 60);
}
