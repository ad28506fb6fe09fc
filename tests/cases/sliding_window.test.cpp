// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: the window drops whole groups, oldest first, and begins at a turn.

#include "cases/runs.hpp"

namespace {

using namespace cases;

list left_by(conversation const& messages, auto const& layer) {
    return indices(cases::after(numbered(messages), layer));
}
conversation alternating(std::size_t count) {
    conversation out;
    for (std::size_t index = 0; index < count; ++index) out.push_back(index % 2 == 0 ? U() : A());
    return out;
}
conversation answers(std::size_t count) { return conversation(count, A()); }
/// Calls with their results, each with an answer or without.
conversation pairs(std::size_t count, bool answered = false) {
    conversation out;
    for (std::size_t index = 0; index < count; ++index) {
        out += {C(std::to_string(index)), R(std::to_string(index))};
        if (answered) out.push_back(A());
    }
    return out;
}

TEST_CASE("a window keeps whole groups and begins with a user message",
          "[case-73][case-75][case-76][case-77][case-T2][case-T4][case-T5][case-T7][case-T9]") {
    struct row {
        char const* number;
        conversation before;
        std::uint64_t most;
        list left;
    };
    for (auto const& [number, before, most, left] : std::vector<row>{
             // A limit that is not exceeded changes nothing.
             {"73", {U(), A()}, 3, {0, 1}},
             {"73", {C("1")}, 3, {0}},
             {"73", {U(), A(), U()}, 3, {0, 1, 2}},
             // The beginning is a user message, though that drops more than asked.
             {"75", {U(), A(), U(), C("1")}, 3, {2, 3}},
             // A group that no user message precedes any more goes whole.
             {"76", {U(), C("1"), R("1"), A(), U()}, 2, {4}},
             {"76", conversation{U()} + pairs(2) + conversation{A(), U()}, 4, {6}},
             // Law L2 wins: the reference returns [C(3),R(3),A], but the latest plain user message is never dropped.
             {"77", conversation{U()} + pairs(3) + conversation{A()}, 4, {0, 5, 6, 7}},
             {"T2", alternating(4), 2, {2, 3}},
             {"T4", alternating(5), 3, {2, 3, 4}},
             {"T5", alternating(6), 4, {2, 3, 4, 5}},
             {"T7", {U(), C("1"), R("1"), A(), U(), A()}, 2, {4, 5}},
             // What is not removable stays: by law L2 the latest plain user message, by law L16 its answer.
             {"T9", {S(), U(), A(), U(), A()}, 0, {0, 3, 4}}}) {
        CAPTURE(number, most);
        CHECK(left_by(before, window_of({most})) == left);
    }
}

TEST_CASE("an orphan and a waiting call stay as they are", "[case-78]") {
    auto const before = numbered({C("456"), R("789")});
    auto messages = before;
    auto const routine = run(messages, window_of(1_messages));
    CHECK(messages == before);
    CHECK(routine.outcome == outcome::fits);
    CHECK(routine.layers[0].outcome != layer_outcome::applied);
    auto const over = run(messages, pipeline{window_of(1_messages), escalate{}}, {.window = 2_tokens});
    CHECK(messages == before);
    CHECK(over.outcome == outcome::exhausted);
    CHECK_FALSE(over.fits());
    CHECK(over.after.tokens == 3_tokens);
    // A mix that shortens arguments leaves nothing of an open call that is counted here.
    CHECK(over.floor == 0_tokens);
    auto const seen = condense::dry_run(before, pipeline{window_of(1_messages)}, roomy, per_char{});
    CHECK_FALSE(seen.outline().group_at(0).orphan);
    CHECK(seen.outline().group_at(1).orphan);
}

// The form of the reference: acts at the window's size, protects the first message and the last two.
TEST_CASE("the first and the last messages are protected, and groups go whole",
          "[case-80][case-81][case-82][case-83][case-84][case-85]") {
    struct row {
        char const* number;
        conversation before;
        std::uint64_t when, until;
        list left;
    };
    auto const parallel =
        conversation{U(), CC("1", "2"), R("1"), R("2"), A(), CC("3", "4"), R("3"), R("4"), A(), A(), A()};
    for (auto const& [number, before, when, until, left] :
         std::vector<row>{{"80", alternating(10), 10, 9, {0, 2, 3, 4, 5, 6, 7, 8, 9}},
                          {"80", alternating(9), 10, 9, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
                          // A group that crosses the target goes whole.
                          {"81", conversation{U()} + pairs(4, true), 10, 9, {0, 6, 7, 8, 9, 10, 11, 12}},
                          // A protected result holds its call back.
                          {"82", {U(), A(), A(), A(), A(), C("1"), R("1"), A()}, 6, 3, {0, 5, 6, 7}},
                          // Answers and pairs go in the order in which they stand.
                          {"83", {U(), A(), C("1"), R("1"), A(), A(), A()}, 6, 5, {0, 4, 5, 6}},
                          // Pairs go until the target is met exactly.
                          {"84", conversation{U()} + pairs(6), 8, 7, {0, 7, 8, 9, 10, 11, 12}},
                          {"85", parallel, 11, 9, {0, 4, 5, 6, 7, 8, 9, 10}}}) {
        CAPTURE(number);
        auto const after_zones =
            cases::after(numbered(before), sliding_window{.when = used >= condense::messages{when},
                                                          .until = used <= condense::messages{until},
                                                          .protect = first(1_messages) | last(2_messages)});
        CHECK(indices(after_zones) == left);
        CHECK(broken(after_zones) == "");
    }
}

TEST_CASE("two results in one message are one unit with their calls", "[case-86]") {
    conversation const messages{U(), CC("1", "2"), RR("1", "2"), A(), U(), A()};
    auto const seen = condense::dry_run(messages, pipeline{window_of(9_messages)}, roomy, per_char{});
    CHECK(seen.outline().group_of(2) == seen.outline().group_of(1));
    CHECK(seen.outline().group_at(1).count == 2u);
    CHECK_FALSE(seen.outline().group_at(1).orphan);
    CHECK(left_by(messages, window_of(3_messages)) == list{4, 5});
    CHECK(left_by(messages, sliding_window{.when = used > 5_messages,
                                           .until = used <= 5_messages,
                                           .protect = first(1_messages)}) == list{0, 3, 4, 5});
}

TEST_CASE("a reused id pairs with the nearest call before it", "[case-88]") {
    conversation const messages{U(), C("1"), R("1"), U(), C("1"), R("1")};
    auto const seen = condense::dry_run(messages, pipeline{window_of(9_messages)}, roomy, per_char{});
    CHECK(seen.outline().group_of(2) == 1u);
    CHECK(seen.outline().group_of(5) == 4u);
    CHECK(left_by(messages, window_of(3_messages)) == list{3, 4, 5});
}

TEST_CASE("the last zone scales with the window, and zones are capped together", "[case-90][case-91]") {
    auto const left = [](std::uint64_t limit, std::size_t count, auto zones) {
        return left_by(answers(count), sliding_window{.when = used > condense::messages{limit},
                                                      .until = used <= 0_messages,
                                                      .protect = at_most(50_pct, zones)});
    };
    for (auto const& [limit, expected] : std::vector<std::pair<std::uint64_t, std::size_t>>{
             {1000, 150}, {100, 15}, {60, 9}, {30, 8}, {10, 4}, {5, 1}, {3, 0}}) {
        CAPTURE(limit);
        auto const count = limit + 20;
        list wanted{0};
        for (auto index = count - expected; index < count; ++index) wanted.push_back(static_cast<int>(index));
        CHECK(left(limit, count, first(1_messages) | last(8_messages) | last(15_pct)) == wanted);
    }
    CHECK(left(20, 40, first(12_messages) | last(15_messages)).size() == 10u);
    CHECK_THROWS_AS(at_most(percent{10'001}, first(1_messages)), invalid_configuration);
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

// Nothing older is kept in place of a message that does not fit; what meets the budget exactly fits.
TEST_CASE("a budget of 50 as a target and as a protected zone", "[case-95][case-96]") {
    struct row {
        std::vector<condense::tokens> costs;
        list left;
        std::uint64_t size;
    };
    for (auto const& [costs, left, size] : std::vector<row>{{{10_tokens, 10_tokens, 100_tokens, 10_tokens}, {3}, 10},
                                                            {{20_tokens, 30_tokens}, {0, 1}, 50},
                                                            {{21_tokens, 30_tokens}, {1}, 30}}) {
        conversation before;
        for (auto const count : costs) before.push_back(costing(U(), count));
        sliding_window const target{.when = used > 50_tokens, .until = used <= 50_tokens, .protect = nothing};
        sliding_window const zone{.when = always, .protect = newest(50_tokens)};
        CAPTURE(size);
        for (auto const& kept : {cases::after(numbered(before), target), cases::after(numbered(before), zone)}) {
            CHECK(indices(kept) == left);
            CHECK(size_of(kept) == size);
        }
    }
}

// A negative count does not compile: quantities are unsigned and braces do not narrow.
TEST_CASE("a window or threshold that cannot work is rejected", "[case-T10]") {
    CHECK_THROWS_AS(used >= condense::turns{0}, invalid_configuration);
    CHECK_THROWS_AS(used >= condense::messages{0}, invalid_configuration);
    for (auto const share : {percent{0}, percent{15'000}}) CHECK_THROWS_AS(used >= share, invalid_configuration);
    CHECK_THROWS_AS(used > percent{15'000}, invalid_configuration);
    CHECK_NOTHROW(pipeline{window_to(100_pct)});
    CHECK_THROWS_AS((pipeline{sliding_window{.when = used > 10_messages, .until = used <= 11_messages}}),
                    invalid_configuration);
}

TEST_CASE("what is protected is left by a trigger that always fires and a target that is never reached",
          "[case-T12][case-T14]") {
    CHECK(left_by(answers(3), sliding_window{.when = always, .protect = last(1_messages)}) == list{2});
    CHECK(left_by({A(), C("1"), R("1"), A(), A()}, sliding_window{.when = used > 1_messages,
                                                                  .until = used <= 0_messages,
                                                                  .protect = last(2_messages)}) == list{3, 4});
}

TEST_CASE("with everything protected nothing is done", "[case-T15]") {
    auto messages = numbered(answers(2));
    auto const before = messages;
    auto const report = run(messages, sliding_window{.when = always, .protect = last(5_messages)});
    CHECK(messages == before);
    CHECK_FALSE(report.changed());
    CHECK(report.layers[0].outcome != layer_outcome::applied);
    CHECK(report.layers[0].saved.count == 0u);
    CHECK(std::string_view{report.layers[0].note}.starts_with("nothing to do: all "));
}

// Law L3 wins where the pair is the last thing that the assistant said: it is open and stays.
TEST_CASE("call and result go together", "[case-T17]") {
    auto messages = numbered({C("1"), R("1"), U(), A()});
    auto const report = run(messages, window_of(3_messages));
    CHECK(indices(messages) == list{2, 3});
    CHECK(report.layers[0].groups_dropped == 1u);
    CHECK(left_by({C("1"), R("1"), U()}, window_of(2_messages)) == list{0, 1, 2});
}

}  // namespace
