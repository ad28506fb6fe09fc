// SPDX-License-Identifier: BSL-1.0

#include "core/sessions.hpp"
#include "faults/harness.hpp"
#include "support/messages/chat.hpp"

// A session that takes in a state, or a pin: whatever fails, it is as it was before, and takes it afterwards.

using namespace vocabulary;

TEST_CASE("faults: adopting a state happens at once or not at all", "[law-7]") {
    auto const mix = pipeline{
        record{.to = condense::memory_journal{}},
        compress{.when = used >= 30_pct, .over = 300_chars, .with = head_tail{.head = 40_chars, .tail = 40_chars}},
        sliding_window{.when = used >= 50_pct}, repair{}};
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
    REQUIRE_FALSE(kept.state.edits.empty());
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

namespace {

/// Pins the message of a session that `make` makes, once for each point at which that may fail; returns their number.
template <class Make>
std::uint64_t points_of_pin(Make const& make, sequence which) {
    std::uint64_t points = 1;
    for (std::uint64_t failing = 0; failing <= points; ++failing) {
        auto const session = make();
        auto const steps = session->edits().steps().size();
        bool threw = false;
        {
            faults::watch const on{failing};
            try {
                if (session->pin(which)) FAIL("refused");
            } catch (std::exception const&) { threw = true; }
            if (failing == 0) points = faults::passed;
        }
        if (threw != (failing != 0)) FAIL("point " + std::to_string(failing) + " of " + std::to_string(points));
        auto const is_pinned = [&] {
            return session->outline().message_at(static_cast<std::uint32_t>(which.number)).pinned;
        };
        if (threw && (is_pinned() || session->edits().steps().size() != steps)) FAIL("changed by a failure");
        if (threw && session->pin(which)) FAIL("refused after a failure");
        if (!is_pinned() || session->edits().steps().size() == steps) FAIL("nothing came back");
    }
    return points;
}

}  // namespace

TEST_CASE("faults: pinning happens at once or not at all", "[law-7]") {
    condense::budget const limits{.window = {10'000}};
    pipeline const window{sliding_window{.when = used > 4_messages}};
    using window_session =
        condense::session<std::vector<chat_message>, std::remove_const_t<decltype(window)>, faults::touchy_estimator>;
    auto points = points_of_pin(
        [&] {
            auto result = std::make_unique<window_session>(faults::eventful_conversation(), window, limits);
            static_cast<void>(result->run());
            return result;
        },
        {4});
    CHECK(points > 0);
    bool drops = false;
    pipeline const own{sessions::layer_of_a_program{&drops}};
    using own_session =
        condense::session<std::vector<chat_message>, std::remove_const_t<decltype(own)>, faults::touchy_estimator>;
    points = 0;
    for (int again = 0; again < 16; ++again)  // at some of these there is no room left for the step
        points += points_of_pin(
            [&] {
                drops = false;
                auto result = std::make_unique<own_session>(sessions::answers_first(), own, limits);
                sessions::drop_beside_a_pin(*result, drops);
                for (int round = 0; round < again; ++round) {
                    static_cast<void>(result->pin({2}));
                    result->unpin({2});
                    static_cast<void>(result->run());
                }
                return result;
            },
            {2});
    CHECK(points > 0);
}
