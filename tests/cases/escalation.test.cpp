// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: thresholds, escalation and what a run comes to.

#include <chrono>

#include "cases/runs.hpp"

namespace {

using namespace cases;
using namespace std::chrono_literals;

constexpr std::uint64_t second = 1'000'000'000;

/// Proposes texts of the same size, so that no run of it gains anything; each takes its time.
struct stubborn {
    static constexpr auto effects = condense::shortens;
    std::uint64_t* now = nullptr;
    std::uint64_t takes = 0;
    int* runs = nullptr;

    void reduce(auto& draft, auto& pass) const {
        ++*runs;
        *now += takes;
        for (auto const group : draft.groups())
            draft.each_part(group, [&](condense::part_ref part, condense::part_view const& seen) {
                pass.note(draft.shorten(part, letters(seen.text.size(), 'y')));
            });
    }
};

/// 950 tokens, of which an edit could change most.
conversation large() { return {U(letters(100)), A(letters(800)), U(letters(50))}; }

conversation two_rounds(std::size_t tokens) {
    return {U(letters(200)), A(letters(200)), U(letters(200)), A(letters(tokens - 600))};
}

TEST_CASE("a threshold is met by the token that reaches it", "[case-136]") {
    condense::budget const limits{.window = 1'000_tokens};
    pipeline const mix{window_to(85_pct)};
    auto messages = two_rounds(849);
    auto const before = messages;
    auto const none = run(messages, mix, limits);
    CHECK(none.before.tokens.count == 849u);
    CHECK(messages == before);
    CHECK(none.layers[0].outcome == layer_outcome::idle);
    messages = two_rounds(850);
    auto const some = run(messages, mix, limits);
    CHECK(some.before.tokens.count == 850u);
    CHECK(some.layers[0].outcome == layer_outcome::applied);
    CHECK(some.after.tokens.count <= 680u);
}

TEST_CASE("a cache in use puts a threshold off, below the ceiling", "[case-138]") {
    auto const due = [](percent by, std::uint64_t tokens, std::uint64_t cached) {
        pipeline const mix{sliding_window{.when = condense::relaxed(used >= 85_pct, by)}};
        return mix.due({.tokens = {tokens}, .input = 1'000_tokens, .cached = {cached}});
    };
    CHECK_FALSE(due(10_pct, 900, 400));
    CHECK(due(10_pct, 950, 400));
    CHECK_FALSE(due(30_pct, 979, 400));
    CHECK(due(30_pct, 980, 400));
    CHECK(due(30_pct, 850, 0));
}

TEST_CASE("a layer that gains nothing is not run for ever", "[case-140]") {
    for (std::uint32_t const passes : {1u, 2u, 50u}) {
        CAPTURE(passes);
        std::uint64_t now = 0;
        int runs = 0;
        auto messages = large();
        auto const report =
            run(messages, pipeline{stubborn{&now, 0, &runs}, escalate{.passes = passes}}, {.window = 1'000_tokens});
        CHECK(messages == large());
        CHECK(report.outcome == outcome::passes);
        CHECK(report.layers[0].outcome == layer_outcome::declined);
        CHECK(report.layers[0].saved.count == 0u);
        CHECK(runs == (passes == 1 ? 2 : 3));
    }
}

TEST_CASE("escalation ends when its time is up", "[case-141]") {
    auto const ran = [](std::uint64_t seconds, outcome expected) {
        std::uint64_t now = 7 * second;
        int runs = 0;
        auto messages = large();
        auto const report = condense::reduce(
            messages, pipeline{stubborn{&now, seconds * second, &runs}, escalate{.passes = 2, .within = 30s}},
            {.window = 1'000_tokens}, per_char{}, condense::run_options<fakes::clock>{.clock = {&now}});
        CHECK(report.before.tokens.count == 950u);
        CHECK(report.after.tokens.count == 950u);
        CHECK(report.outcome == expected);
        CHECK(report.time.count == static_cast<std::uint64_t>(runs) * seconds * second);
        return runs;
    };
    CHECK(ran(35, outcome::time) == 2);
    CHECK(ran(30, outcome::time) == 2);
    CHECK(ran(10, outcome::passes) == 3);
}

// Position zones are lifted at the top (design 6), so that what binds there is what the laws protect.
TEST_CASE("a run that could change nothing says so", "[case-143]") {
    sliding_window const zones{.when = used >= 90_pct, .protect = first(1_messages) | last(1_messages)};
    condense::budget const limits{.window = 1'000_tokens};
    conversation messages{U(letters(500)), A(letters(501))};
    auto const before = messages;
    auto const over = run(messages, zones, limits);
    CHECK(messages == before);
    CHECK(over.outcome == outcome::over);
    CHECK_FALSE(over.fits());

    messages = {S(letters(500)), U(letters(501))};
    auto const floor = messages;
    auto const exhausted = run(messages, pipeline{zones, escalate{}}, limits);
    CHECK(messages == floor);
    CHECK(exhausted.outcome == outcome::exhausted);
    CHECK(exhausted.outcome != outcome::fits);
    CHECK_FALSE(exhausted.fits());
    CHECK(exhausted.floor.count == 1'001u);
}

TEST_CASE("the large result is cut before a message is dropped", "[case-145]") {
    conversation messages{U(), C("1"), R("1", letters(100)), C("2"), R("2", letters(100'000)), A(), U(), A()};
    auto const before = messages;
    auto const report = run(messages, pipeline{compress{}, sliding_window{}, escalate{}}, {.window = 20'000_tokens});
    REQUIRE(messages.size() == before.size());
    CHECK(report.fits());
    CHECK(text_of(messages[4]).size() < 10'000u);
    messages[4] = before[4];
    CHECK(messages == before);
    CHECK(report.layers[1].groups_dropped == 0u);
}

TEST_CASE("a layer that declines does not stop the next", "[case-146]") {
    conversation messages{U(), C("1"), R("1", letters(20'000)), A(), U(), A()};
    auto const report = run(messages, pipeline{compress{.worth = at_least(50'000_tokens)}, sliding_window{}},
                            {.window = 21'000_tokens});
    CHECK(report.layers[0].outcome == layer_outcome::declined);
    CHECK(report.layers[0].saved.count == 0u);
    CHECK(report.layers[0].parts_shortened == 0u);
    CHECK(report.layers[0].note == "not worth it");
    CHECK(report.layers[1].outcome == layer_outcome::applied);
    CHECK(report.layers[1].groups_dropped > 0u);
}

TEST_CASE("what is kept is below what triggers, in every window", "[case-149]") {
    summarize const layer{};
    std::uint64_t trigger_before = 0;
    for (std::uint64_t window = 20'001; window < 400'000; window += window < 21'100 ? 1 : 997) {
        CAPTURE(window);
        auto const input = condense::budget{.window = {window}, .output = 20'000_tokens}.input();
        auto const trigger = layer.when.bind(input).one().limit;
        auto const target = layer.when.target().bind(input).one().limit;
        auto const kept = layer.protect.left.right.count.of(input).count;
        REQUIRE(kept <= target);
        REQUIRE(target < trigger);
        REQUIRE(trigger_before <= trigger);
        trigger_before = trigger;
    }
    CHECK_THROWS_AS((pipeline{sliding_window{.when = used >= 1'000_tokens, .until = used <= 1'000_tokens}}),
                    invalid_configuration);
    CHECK_THROWS_AS((pipeline{window_to(50_pct, 51_pct)}), invalid_configuration);
    CHECK_NOTHROW(pipeline{sliding_window{.when = used >= 1'000_tokens, .until = used <= 999_tokens}});
}

TEST_CASE("the reserve of a window leaves its trigger, and a quarter of that is kept at most", "[case-149]") {
    struct row {
        condense::tokens window, trigger, kept;
    };
    for (auto const& [window, trigger, kept] :
         {row{128'000_tokens, 108'000_tokens, 8'000_tokens}, row{30'000_tokens, 10'000_tokens, 2'500_tokens}}) {
        CAPTURE(window.count);
        condense::budget const limits{.window = window, .output = 20'000_tokens};
        CHECK((used >= 100_pct).bind(limits.input()).one().limit == trigger.count);
        auto const protect = at_most(25_pct, newest(8'000_tokens));
        for (bool const due : {false, true}) {
            conversation messages{U(letters(due ? 100 : 99))};
            while (size_of(messages) + 100 <= trigger.count)
                messages.push_back(messages.size() % 2 == 1 ? A(letters(100)) : U(letters(100)));
            auto const report = condense::reduce(
                messages, summarize{.when = used >= 100_pct, .until = used <= 1_pct, .protect = protect}, limits,
                per_char{});
            REQUIRE(report.changed() == due);
            if (!due) continue;
            std::uint64_t whole = 0;
            for (auto const& each : messages) whole += text_of(each) == letters(100) ? 100u : 0u;
            CHECK(whole <= kept.count + 100);  // the first message may stay as the task
            CHECK(whole >= kept.count - 200);
        }
    }
    conversation messages{U(letters(100))};
    CHECK_FALSE(condense::reduce(messages, summarize{}, {.window = 16'000_tokens, .output = 20'000_tokens}, per_char{})
                    .refused.empty());
}

TEST_CASE("results that are each within their limit are reduced for their sum", "[case-150]") {
    conversation messages{U()};
    for (int step = 0; step < 10; ++step) {
        auto const id = std::to_string(step);
        messages += {C(id), R(id, letters(14'000))};
    }
    messages.push_back(A());
    auto const report = run(messages, pipeline{compress{.over = 15'000_chars}, sliding_window{}, escalate{}},
                            {.window = 128'000_tokens});
    CHECK(report.before.tokens.count > 128'000u);
    CHECK(report.fits());
    CHECK(report.outcome == outcome::fits);
    CHECK(report.after.tokens.count < 115'200u);
    CHECK(report.after.tokens.count > 60'000u);
    CHECK(broken(messages) == "");
}

TEST_CASE("below the limit what was sent before is sent again", "[case-153]") {
    pipeline const mix{compress{}, summarize{}, sliding_window{}, escalate{}};
    conversation messages;
    for (int turn = 0; turn < 100; ++turn) {
        auto const id = std::to_string(turn);
        auto const prefix = messages;
        messages += {U(letters(20)), C(id), R(id, letters(40)), A(letters(30))};
        auto const report = run(messages, mix, {.window = 20'000_tokens});
        CAPTURE(turn);
        REQUIRE_FALSE(report.changed());
        REQUIRE(messages.size() == prefix.size() + 4);
        REQUIRE(conversation(messages.begin(), messages.end() - 4) == prefix);
    }
    messages.push_back(U(letters(20'000)));
    CHECK(run(messages, mix, {.window = 20'000_tokens}).changed());
}

}  // namespace
