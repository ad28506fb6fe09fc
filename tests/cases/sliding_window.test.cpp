// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: the window drops whole groups, oldest first, and begins at a turn.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cases/runs.hpp"
#include "support/catch.hpp"

namespace {

using namespace cases;
using condense::at_most;
using condense::first;
using condense::last;
using condense::layer_outcome;
using condense::nothing;
using condense::outcome;
using condense::percent;
using condense::pipeline;
using condense::sliding_window;

conversation after_window(conversation messages, condense::messages most) {
    return after(numbered(std::move(messages)), pipeline{window(most)});
}

/// The form of the reference: acts at the window's size, protects the first message and the last two.
conversation after_zones(conversation messages, condense::messages when, condense::messages until) {
    return after(numbered(std::move(messages)),
                 pipeline{sliding_window{
                     .when = used >= when, .until = used <= until, .protect = first(1_messages) | last(2_messages)}});
}

conversation alternating(std::size_t count) {
    conversation out;
    for (std::size_t index = 0; index < count; ++index) out.push_back(index % 2 == 0 ? U() : A());
    return out;
}

conversation answers(std::size_t count) { return conversation(count, A()); }

TEST_CASE("a window that is not exceeded changes nothing", "[case-73]") {
    CHECK(indices(after_window({U(), A()}, 3_messages)) == list{0, 1});
    CHECK(indices(after_window({C("1")}, 3_messages)) == list{0});
    CHECK(indices(after_window({U(), A(), U()}, 3_messages)) == list{0, 1, 2});
}

TEST_CASE("what remains begins with a user message, though that drops more than asked", "[case-75]") {
    CHECK(indices(after_window({U(), A(), U(), C("1")}, 3_messages)) == list{2, 3});
}

TEST_CASE("a group that no user message precedes any more goes whole", "[case-76]") {
    CHECK(indices(after_window({U(), C("1"), R("1"), A(), U()}, 2_messages)) == list{4});
    CHECK(indices(after_window({U(), C("1"), R("1"), C("2"), R("2"), A(), U()}, 4_messages)) == list{6});
}

// Law L2 wins: the reference returns [C(3),R(3),A], but the latest plain user message is never dropped.
TEST_CASE("the only user message stays before the newest group", "[case-77]") {
    CHECK(indices(after_window({U(), C("1"), R("1"), C("2"), R("2"), C("3"), R("3"), A()}, 4_messages)) ==
          list{0, 5, 6, 7});
}

TEST_CASE("an orphan and a waiting call stay as they are", "[case-78]") {
    auto const before = numbered({C("456"), R("789")});
    SECTION("routine: no error") {
        auto messages = before;
        auto const report = run(messages, pipeline{window(1_messages)});
        CHECK(messages == before);
        CHECK(report.outcome == outcome::fits);
        CHECK(report.layers[0].outcome != layer_outcome::applied);
    }
    SECTION("over the budget: an error that names the floor") {
        auto messages = before;
        auto const report = run(messages, pipeline{window(1_messages), condense::escalate{}}, {.window = 2_tokens});
        CHECK(messages == before);
        CHECK(report.outcome == outcome::exhausted);
        CHECK_FALSE(report.fits());
        CHECK(report.after.tokens == 3_tokens);
        CHECK(report.floor ==
              0_tokens);  // a mix that shortens arguments leaves nothing of an open call that is counted here
    }
    SECTION("the orphan is known as one") {
        auto const seen = condense::dry_run(before, pipeline{window(1_messages)}, roomy, per_char{});
        CHECK_FALSE(seen.outline().group_at(0).orphan);
        CHECK(seen.outline().group_at(1).orphan);
    }
}

TEST_CASE("the first and the last messages are protected", "[case-80]") {
    CHECK(indices(after_zones(alternating(10), 10_messages, 9_messages)) == list{0, 2, 3, 4, 5, 6, 7, 8, 9});
    CHECK(indices(after_zones(alternating(9), 10_messages, 9_messages)) == list{0, 1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("a group that crosses the target goes whole", "[case-81]") {
    conversation messages{U()};
    for (auto const* const id : {"1", "2", "3", "4"}) messages += {C(id), R(id), A()};
    CHECK(indices(after_zones(messages, 10_messages, 9_messages)) == list{0, 6, 7, 8, 9, 10, 11, 12});
}

TEST_CASE("a protected result holds its call back", "[case-82]") {
    CHECK(indices(after_zones({U(), A(), A(), A(), A(), C("1"), R("1"), A()}, 6_messages, 3_messages)) ==
          list{0, 5, 6, 7});
}

TEST_CASE("answers and pairs go in the order in which they stand", "[case-83]") {
    CHECK(indices(after_zones({U(), A(), C("1"), R("1"), A(), A(), A()}, 6_messages, 5_messages)) == list{0, 4, 5, 6});
}

TEST_CASE("pairs go until the target is met exactly", "[case-84]") {
    conversation messages{U()};
    for (auto const* const id : {"1", "2", "3", "4", "5", "6"}) messages += {C(id), R(id)};
    auto const left = after_zones(messages, 8_messages, 7_messages);
    CHECK(indices(left) == list{0, 7, 8, 9, 10, 11, 12});
    CHECK(broken(left) == "");
}

TEST_CASE("parallel calls go together", "[case-85]") {
    auto const left = after_zones({U(), CC("1", "2"), R("1"), R("2"), A(), CC("3", "4"), R("3"), R("4"), A(), A(), A()},
                                  11_messages, 9_messages);
    CHECK(indices(left) == list{0, 4, 5, 6, 7, 8, 9, 10});
    CHECK(broken(left) == "");
}

TEST_CASE("two results in one message are one unit with their calls", "[case-86]") {
    conversation const messages{U(), CC("1", "2"), RR("1", "2"), A(), U(), A()};
    auto const seen = condense::dry_run(messages, pipeline{window(9_messages)}, roomy, per_char{});
    CHECK(seen.outline().group_of(2) == seen.outline().group_of(1));
    CHECK(seen.outline().group_at(1).count == 2u);
    CHECK_FALSE(seen.outline().group_at(1).orphan);
    CHECK(indices(after_window(messages, 3_messages)) == list{4, 5});
    CHECK(indices(after(numbered(messages),
                        pipeline{sliding_window{
                            .when = used > 5_messages, .until = used <= 5_messages, .protect = first(1_messages)}})) ==
          list{0, 3, 4, 5});
}

TEST_CASE("a reused id pairs with the nearest call before it", "[case-88]") {
    conversation const messages{U(), C("1"), R("1"), U(), C("1"), R("1")};
    auto const seen = condense::dry_run(messages, pipeline{window(9_messages)}, roomy, per_char{});
    CHECK(seen.outline().group_of(2) == 1u);
    CHECK(seen.outline().group_of(5) == 4u);
    CHECK(indices(after_window(messages, 3_messages)) == list{3, 4, 5});
}

TEST_CASE("the last zone scales with the window and is capped with the first", "[case-90]") {
    struct figure {
        std::uint64_t window;
        std::size_t last;
    };
    for (auto const [limit, expected] : {figure{1000, 150}, figure{100, 15}, figure{60, 9}, figure{30, 8},
                                         figure{10, 4}, figure{5, 1}, figure{3, 0}}) {
        CAPTURE(limit);
        auto const count = limit + 20;
        auto const left = after(
            numbered(answers(count)),
            pipeline{sliding_window{.when = used > condense::messages{limit},
                                    .until = used <= 0_messages,
                                    .protect = at_most(50_pct, first(1_messages) | last(8_messages) | last(15_pct))}});
        list wanted{0};
        for (auto index = count - expected; index < count; ++index) wanted.push_back(static_cast<int>(index));
        CHECK(indices(left) == wanted);
    }
}

TEST_CASE("zones that exceed half of the window are capped", "[case-91]") {
    auto const left =
        after(numbered(answers(40)),
              pipeline{sliding_window{.when = used > 20_messages,
                                      .until = used <= 0_messages,
                                      .protect = at_most(50_pct, first(12_messages) | last(15_messages))}});
    CHECK(left.size() == 10u);
    CHECK_THROWS_AS(at_most(percent{10'001}, first(1_messages)), condense::invalid_configuration);
}

TEST_CASE("a long run of steps stays within the window after each batch", "[case-93]") {
    conversation messages{U()};
    auto const mix = pipeline{sliding_window{.when = used > 50_messages, .until = used <= 50_messages}};
    for (int step = 0; step < 200; ++step) {
        auto const id = std::to_string(step);
        messages += {C(id), R(id, letters(5'000)), A(id)};
        if (step % 10 != 9) continue;
        auto const report = run(messages, mix);
        CAPTURE(step);
        CHECK(report.fits());
        CHECK(messages.size() <= 50u);
        if (step > 16) CHECK(messages.size() > 48u);
        CHECK(broken(messages) == "");
        REQUIRE(messages.size() > 3u);
        CHECK(messages[messages.size() - 3].parts.front().call == id);
        CHECK(text_of(messages.back()) == id);
    }
}

/// What a budget of 50 keeps of user messages at these costs, as a target and as a protected zone.
std::vector<conversation> within_fifty(std::vector<condense::tokens> const& costs) {
    conversation before;
    for (auto const count : costs) before.push_back(costing(U(), count));
    return {after(numbered(before),
                  pipeline{sliding_window{.when = used > 50_tokens, .until = used <= 50_tokens, .protect = nothing}}),
            after(numbered(before),
                  pipeline{sliding_window{.when = condense::always, .protect = condense::newest(50_tokens)}})};
}

TEST_CASE("nothing older is kept in place of a message that does not fit", "[case-95]") {
    for (auto const& left : within_fifty({10_tokens, 10_tokens, 100_tokens, 10_tokens})) {
        CHECK(indices(left) == list{3});
        CHECK(size_of(left) == 10u);
    }
}

TEST_CASE("what meets the budget exactly fits", "[case-96]") {
    for (auto const& left : within_fifty({20_tokens, 30_tokens})) CHECK(indices(left) == list{0, 1});
    for (auto const& left : within_fifty({21_tokens, 30_tokens})) CHECK(indices(left) == list{1});
}

TEST_CASE("a window of two keeps the last round", "[case-T2]") {
    CHECK(indices(after_window(alternating(4), 2_messages)) == list{2, 3});
}

TEST_CASE("an odd window begins with a user message", "[case-T4]") {
    CHECK(indices(after_window(alternating(5), 3_messages)) == list{2, 3, 4});
}

TEST_CASE("an even window keeps whole rounds", "[case-T5]") {
    CHECK(indices(after_window(alternating(6), 4_messages)) == list{2, 3, 4, 5});
}

TEST_CASE("the cut falls on the second plain user message", "[case-T7]") {
    CHECK(indices(after_window({U(), C("1"), R("1"), A(), U(), A()}, 2_messages)) == list{4, 5});
}

// What is not removable stays: by law L2 the latest plain user message, by law L16 its answer.
TEST_CASE("a window of nothing clears all that is removable", "[case-T9]") {
    CHECK(indices(after_window({S(), U(), A(), U(), A()}, 0_messages)) == list{0, 3, 4});
}

// A negative count does not compile: quantities are unsigned and braces do not narrow.
TEST_CASE("a window or threshold that cannot work is rejected", "[case-T10]") {
    CHECK_THROWS_AS(used >= condense::turns{0}, condense::invalid_configuration);
    CHECK_THROWS_AS(used >= condense::messages{0}, condense::invalid_configuration);
    CHECK_THROWS_AS(used >= percent{0}, condense::invalid_configuration);
    CHECK_THROWS_AS(used >= percent{15'000}, condense::invalid_configuration);
    CHECK_THROWS_AS(used > percent{15'000}, condense::invalid_configuration);
    CHECK_NOTHROW(pipeline{sliding_window{.when = used >= 100_pct}});
    CHECK_THROWS_AS((pipeline{sliding_window{.when = used > 10_messages, .until = used <= 11_messages}}),
                    condense::invalid_configuration);
}

TEST_CASE("a trigger that always fires leaves the protected group", "[case-T12]") {
    CHECK(indices(after(numbered(answers(3)),
                        pipeline{sliding_window{.when = condense::always, .protect = last(1_messages)}})) == list{2});
}

TEST_CASE("a target that is never reached stops at what is protected", "[case-T14]") {
    CHECK(indices(after(numbered({A(), C("1"), R("1"), A(), A()}),
                        pipeline{sliding_window{
                            .when = used > 1_messages, .until = used <= 0_messages, .protect = last(2_messages)}})) ==
          list{3, 4});
}

TEST_CASE("with everything protected nothing is done", "[case-T15]") {
    auto messages = numbered(answers(2));
    auto const before = messages;
    auto const report = run(messages, pipeline{sliding_window{.when = condense::always, .protect = last(5_messages)}});
    CHECK(messages == before);
    CHECK_FALSE(report.changed());
    CHECK(report.layers[0].outcome != layer_outcome::applied);
    CHECK(report.layers[0].saved.count == 0u);
    CHECK(std::string_view{report.layers[0].note}.starts_with("nothing to do: all "));
}

// Law L3 wins where the pair is the last thing that the assistant said: it is open and stays.
TEST_CASE("call and result go together", "[case-T17]") {
    auto messages = numbered({C("1"), R("1"), U(), A()});
    auto const report = run(messages, pipeline{window(3_messages)});
    CHECK(indices(messages) == list{2, 3});
    CHECK(report.layers[0].groups_dropped == 1u);
    CHECK(indices(after_window({C("1"), R("1"), U()}, 2_messages)) == list{0, 1, 2});
}

}  // namespace
