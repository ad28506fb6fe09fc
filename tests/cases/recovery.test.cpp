// SPDX-License-Identifier: BSL-1.0

#include "cases/runs.hpp"

// What goes wrong around a reduction, and what is kept when it does.

namespace {

using namespace cases;

/// Drops all that may go, unless it is told to throw.
struct strategy {
    std::function<void()>* before;
    static constexpr auto effects = condense::drops;
    void reduce(auto& draft, auto&) const {
        (*before)();
        fakes::drop(draft);
    }
};

}  // namespace

TEST_CASE("an error of the step after the reduction is that step's own, and it runs once", "[case-121]") {
    auto const mix = pipeline{window_of(2_messages)};
    auto messages = conversation{U(), A(), U(), A()};
    auto const report = run(messages, mix);
    int sends = 0;
    auto const send = [&](conversation const&) {
        ++sends;
        throw std::runtime_error{"503"};
    };
    CHECK_THROWS_AS(send(messages), std::runtime_error);
    CHECK(report.layers[0].failures == 0);
    // Also where the sink that is handed the messages is that step.
    auto const whole = conversation{U(), A(), U(), A()};
    CHECK_THROWS_AS(condense::reduce_into([&](chat_message const& m) { send({m}); }, whole, mix, roomy, per_char{}),
                    std::runtime_error);
    CHECK(sends == 2);
}

TEST_CASE("a journal has each message once, in order, and each line its place", "[case-126]") {
    // A message without an id of its own is told apart by its place, so an equal one is a line of its own.
    tapes::tape const journal;
    auto const mix = pipeline{condense::record{.to = journal}};
    auto messages = conversation{U("m1"), A("m2")};
    static_cast<void>(run(messages, mix));
    messages += {U("m1"), A("m4")};
    static_cast<void>(run(messages, mix));
    CHECK(journal.messages() == tapes::bytes_of(messages));
    CHECK(journal.numbers() == std::vector<std::uint64_t>{0, 1, 2, 3});
}

TEST_CASE("messages appended while a summary is being made are there afterwards, in order", "[case-183]") {
    model const writes;
    auto const mix = pipeline{
        summarize{.when = used > 4_messages, .until = used <= 3_messages, .protect = last(1_messages), .with = writes}};
    condense::session session{conversation{}, mix, roomy, per_char{}};
    writes.held->act = [&] {
        push(session, {U("x"), A("y")});
        return model::answer{.message = "short"};
    };
    for (int turn = 0; turn < 6; ++turn) session.push(turn % 2 == 0 ? U(letters(100)) : A(letters(100)));
    CHECK(session.prepare().changed());
    auto const request = sent(session);
    REQUIRE(request.size() > 3);
    CHECK(contains(text_of(request[0]), "short"));
    CHECK(text_of(request[request.size() - 2]) == "x");
    CHECK(text_of(request.back()) == "y");
    CHECK(session.history().size() == 8);
}

TEST_CASE("the call of an aborted run gets an answer directly after it, the same in each run", "[case-T27]") {
    auto aborted = C("1");
    aborted.parts[0].status = condense::part_status::cancelled;
    auto const mix = pipeline{condense::repair{.answer = "aborted"}};
    auto const once = cases::after({U(), C("0"), R("0"), aborted}, mix);
    REQUIRE(once.size() == 5);
    CHECK(once[4].parts[0].call == "1");
    CHECK(text_of(once[4]) == "aborted");
    CHECK(once[4].role == role::tool);
    CHECK(cases::after({U(), C("0"), R("0"), aborted}, mix) == once);
    CHECK(cases::after(once, mix) == once);
    CHECK(broken(once).empty());
}

TEST_CASE("a failing strategy gives way to the next, but for a cancellation", "[case-T80]") {
    std::function<void()> first;
    std::function<void()> second = [] {};
    auto const mix = pipeline{condense::fallback{strategy{&first}, strategy{&second}}};
    auto messages = conversation{U("1"), A("2"), U("3")};
    first = [] { throw std::runtime_error{"overloaded"}; };
    auto const report = run(messages, mix);
    CHECK(report.layers[0].outcome == layer_outcome::failed);
    CHECK(report.layers[1].outcome == layer_outcome::applied);
    CHECK(messages.size() == 1);
    first = [] { throw condense::cancelled{}; };
    messages = conversation{U("1"), A("2"), U("3")};
    CHECK_THROWS_AS(run(messages, mix), condense::cancelled);
    CHECK_THROWS_WITH(run(messages, mix), "cancelled");
    CHECK(messages.size() == 3);
}
