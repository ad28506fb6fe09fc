// SPDX-License-Identifier: BSL-1.0
#include <condense/presets.hpp>
#include <condense/store/memory_journal.hpp>

#include "laws/generator.hpp"
#include "layer/shared.hpp"
#include "support/effort.hpp"

// The task stays: law L21.

namespace {

using namespace layers;

auto window_mix() { return pipeline{sliding_window{.when = used >= 80_pct, .until = used <= 50_pct}, escalate{}}; }
auto summary_mix() {
    return pipeline{summarize{.when = used >= 80_pct, .until = used <= 40_pct}, escalate{.when = used >= 90_pct}};
}
template <class Mix>
auto session_of(Mix const& mix, condense::tokens window = 2'000_tokens) {
    return session{conversation{}, mix, budget{.window = window}, per_byte{}};
}
bool has(auto& session, std::string_view text) {
    for (auto const& m : session.request())
        if (contains(text_of(m), text) && !contains(text_of(m), "<summary>")) return true;
    return false;
}
std::string filler(std::size_t size) { return std::string(size, 'w'); }

}  // namespace

TEST_CASE("task: a last resort that would be in vain leaves it") {
    auto const check = [](auto session) {
        push(session,
             {U("the task"), A(filler(300)), U("on"), C("1", "write", "{\"text\":\"" + filler(3'000) + "\"}")});
        CHECK_FALSE(session.prepare().fits());
        CHECK(has(session, "the task"));
    };
    check(session_of(window_mix()));
    check(session_of(summary_mix()));
}

TEST_CASE("task: where a last resort takes it, it comes back as soon as there is room, also in a restored session") {
    auto const task_text = "the task " + filler(1'000);
    auto const check = [&](auto const& start) {
        auto session = start();
        push(session, {U(task_text), A("so"), U("on"), C("1", "run"), R("1", filler(1'100))});
        CHECK(session.prepare().fits());
        CHECK_FALSE(has(session, "the task"));
        auto restored = start();
        auto saved = session.state();
        REQUIRE(saved);
        REQUIRE_FALSE(restored.adopt(std::move(saved.state)));
        for (auto* const each : {&session, &restored}) {
            push(*each, {A("done"), U("next")});
            for (int round = 0; round < 4; ++round) {
                static_cast<void>(each->prepare());
                push(*each, {A("yes"), U("and")});
            }
            CHECK(has(*each, "the task"));
            auto const edits = each->edits().steps().size();
            push(*each, {A("yes"), U("and")});
            static_cast<void>(each->prepare());
            CHECK(each->edits().steps().size() == edits);  // and stays
        }
    };
    check([] { return session_of(window_mix()); });
    check([] { return session_of(summary_mix()); });
}

TEST_CASE("task: a session may name it, where the first message of the user is another") {
    auto const start = [] { return session_of(window_mix()); };
    auto session = start();
    push(session, {U("the rules"), A("hi"), U("the task"), A(filler(500))});
    CHECK(session.task(condense::sequence{1}) == condense::refusal::gone);
    CHECK(session.task(condense::sequence{9}) == condense::refusal::gone);
    CHECK_FALSE(session.task(condense::sequence{2}));
    auto restored = start();
    auto saved = session.state();
    REQUIRE(saved);
    auto forged = saved.state;
    for (auto const number : {2u, 5u, 1u << 31}) {
        forged.task = number;
        CHECK(start().adopt(forged));
    }
    REQUIRE_FALSE(restored.adopt(std::move(saved.state)));
    for (auto* const each : {&session, &restored}) {
        for (int round = 0; round < 6; ++round) {
            push(*each, {U("and"), A(filler(500))});
            static_cast<void>(each->prepare());
        }
        CHECK(has(*each, "the task"));
        CHECK_FALSE(has(*each, "the rules"));
    }
}

TEST_CASE("task: greetings and commands are passed over, also in a session that is saved between them") {
    auto saved = session_of(window_mix()).state();
    for (auto const* const words : {"/mode", "hello", "the task", "a", "b", "c", "d", "e"}) {
        auto session = session_of(window_mix());
        REQUIRE(saved);
        REQUIRE_FALSE(session.adopt(std::move(saved.state)));
        push(session, {U(words), A(filler(300))});
        static_cast<void>(session.prepare());
        if (words == std::string_view{"e"}) {
            CHECK(has(session, "the task"));
            CHECK_FALSE(has(session, "hello"));
        }
        saved = session.state();
    }
}

TEST_CASE("task: every request that could hold it has it") {
    for (std::uint64_t seed = 1; seed <= rounds(150); ++seed) {
        CAPTURE(seed);
        auto const check = [&](auto session) {
            for (auto& m : laws::conversation_generator{seed}.make()) {
                session.push(std::move(m));
                auto const report = session.prepare();
                auto const& facts = session.outline();
                auto const task_index = facts.task();
                if (task_index == condense::detail::none32) continue;
                condense::group const which{facts.group_of(task_index)};
                if (session.edits().present(which)) continue;
                // Only where what has to stay leaves no room.
                CHECK(report.after.tokens + session.edits().measured(session.edits().of(which).cost) > 600_tokens);
            }
        };
        check(session_of(window_mix(), 1'000_tokens));
        check(session_of(summary_mix(), 1'000_tokens));
    }
}

TEST_CASE("task: does not come and go where a pipeline presses lower than the input") {
    auto session =
        session_of(pipeline{sliding_window{.when = used >= 50_pct}, escalate{.when = used >= 60_pct}}, 1'000_tokens);
    push(session, {U("the task " + filler(241)), A("so"), U(filler(400))});
    REQUIRE_FALSE(session.pin(condense::sequence{2}));
    for (int round = 0; round < 8; ++round) {
        push(session, {A("yes"), U("and " + std::to_string(round))});
        static_cast<void>(session.prepare());
    }
    CHECK(session.request().size() > 10);
}

TEST_CASE("task: goes where the request can be sent without it, though it is above the line of pressure") {
    conversation messages{U("the task " + filler(141)), A("so"), U(filler(930))};
    auto const report = reduced(messages, window_mix(), 1'000_tokens);
    CHECK(report.fits());
    CHECK(messages.size() == 1);
}

TEST_CASE("task: its group is not released, so that it comes back") {
    condense::memory_journal const journal;
    auto session = session_of(pipeline{condense::record{.to = journal}, sliding_window{}, escalate{}}, 1'000_tokens);
    auto both = R("1");
    both.role = condense::role::user;
    both.parts.insert(both.parts.begin(), {.text = "the task " + filler(141)});
    push(session, {C("1"), both, A("so"), U(filler(930))});
    CHECK(session.prepare().fits());
    REQUIRE_FALSE(has(session, "the task"));
    REQUIRE(session.release(condense::sequence{100}) == 0);
    session.set_limits({.window = 10'000_tokens});
    push(session, {A("yes"), U("next")});
    static_cast<void>(session.prepare());
    CHECK(has(session, "the task"));
}

TEST_CASE("task: one that is named after it has left comes back") {
    auto session = session_of(window_mix(), 1'000_tokens);
    push(session, {U("the rules"), A("hi"), U("the task"), A(filler(900)), U("on"), A("yes"), U("next")});
    CHECK(session.prepare().fits());
    REQUIRE_FALSE(has(session, "the task"));
    CHECK_FALSE(session.task(condense::sequence{2}));
    static_cast<void>(session.prepare());
    CHECK(has(session, "the task"));
}
