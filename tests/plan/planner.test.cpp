// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/planner.hpp>

#include <condense/plan/model_planner.hpp>
#include <condense/plan/rule_planner.hpp>

#include "support/catch.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using condense::artifact_plan, condense::cancelled, condense::direct_calls, condense::plan_request, condense::planner;
using condense::detail::plan_with, condense::detail::planner_asks;

// What is a planner

struct plain {
    artifact_plan operator()(plan_request const& request) const { return {.problem = std::string{request.question}}; }
};
struct asking {
    static constexpr bool asks_model = true;
    artifact_plan operator()(plan_request const& request, auto&& ask) const {
        auto const model = [](condense::model_prompt const& prompt) { return "re " + prompt.data; };
        return {.problem = *ask(model, {.data = std::string{request.question}}, {}).message};
    }
};
/// Takes either; the model is preferred.
struct both : plain, asking {
    using asking::operator();
    using plain::operator();
};
struct silent {
    static constexpr bool asks_model = false;
    artifact_plan operator()(plan_request const&) const { return {}; }
};
struct changing {
    artifact_plan operator()(plan_request const&) { return {}; }
};
struct of_text {
    std::string operator()(plan_request const&) const { return {}; }
};
struct of_nothing {
    artifact_plan operator()() const { return {}; }
};

constexpr auto lambda = [](plan_request const&) { return artifact_plan{}; };
constexpr auto model = [](std::string_view) { return std::string{}; };

static_assert(planner<plain> && planner<asking> && planner<both> && planner<silent> && planner<decltype(lambda)>);
static_assert(planner<condense::rule_planner> && planner<condense::model_planner<decltype(model)>>);
static_assert(!planner<changing> && !planner<of_text> && !planner<of_nothing> && !planner<int>);
static_assert(planner_asks<asking> && planner_asks<condense::model_planner<decltype(model)>>);
static_assert(!planner_asks<plain> && !planner_asks<silent> && !planner_asks<condense::rule_planner>);

// Plans

struct wordless : std::exception {
    char const* what() const noexcept override { return ""; }
};

artifact_plan planned(auto const& plans, bool stops = false) {
    auto const none = [](plan_request::wanted_texts const&, plan_request::text_sink const&) {};
    plan_request::text_reader const reader{none};
    plan_request request{{}, 100_tokens, reader};
    request.question = "the question";
    direct_calls<> calls;
    return plan_with(plans, request, calls, fakes::stop_flag{&stops});
}

/// Throws what `act` throws.
auto throwing(auto act) {
    return [act](plan_request const&) {
        act();
        return artifact_plan{};
    };
}
}  // namespace

TEST_CASE("planner: it is given the request, and a way to ask where it takes one") {
    CHECK(planned(plain{}).problem == "the question");
    CHECK(planned(asking{}).problem == "re the question");
    CHECK(planned(both{}).problem == "re the question");
    auto const decides = [](plan_request const&) {
        return artifact_plan{.decisions = {{.artifact = "d1"}}, .usage = {.input = 7_tokens}};
    };
    auto const plan = planned(decides);
    CHECK(plan.decisions.size() == 1);
    CHECK(plan.usage.input == 7_tokens);
    CHECK(plan.problem.empty());
}

TEST_CASE("planner: where it throws there is no plan, and the reason is told") {
    CHECK(planned(throwing([] { throw std::runtime_error{"no idea"}; })).problem == "no idea");
    CHECK(planned(throwing([] { throw wordless{}; })).problem == "the planner threw");
    CHECK(planned(throwing([] { throw 7; })).problem == "the planner threw");
    CHECK(planned(throwing([] { throw std::runtime_error{"no idea"}; })).decisions.empty());
}

TEST_CASE("planner: a cancellation passes through, and everything while a stop is requested") {
    CHECK_THROWS_AS(planned(throwing([] { throw cancelled{}; })), cancelled);
    CHECK_THROWS_WITH(planned(throwing([] { fakes::throw_nested(cancelled{}); })), "the transport failed");
    CHECK_THROWS_WITH(planned(throwing([] { throw std::runtime_error{"no idea"}; }), true), "no idea");
    CHECK_THROWS_AS(planned(throwing([] { throw 7; }), true), int);
    CHECK(planned(plain{}, true).problem == "the question");
}
