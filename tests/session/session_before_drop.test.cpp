// SPDX-License-Identifier: BSL-1.0
#include <condense/session/session.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/any_pipeline.hpp>

#include "core/sessions.hpp"
#include "support/catch.hpp"
#include "support/tape.hpp"

// What sessions give to run_options::before_drop: each verb that takes messages out, once, whatever becomes of it.

namespace {

using namespace sessions;
using condense::commit_outcome;

constexpr condense::budget roomy{.window = 100'000_tokens};

/// What a hook has seen, and what it does then.
struct hook_state {
    std::vector<std::vector<int>> runs;
    std::function<std::string()> act = [] { return std::string{}; };
};
struct hook {
    hook_state* state;
    condense::failed operator()(auto const& leaving) const {
        std::vector<int> names;
        for (auto const& m : leaving) names.push_back(index_of(m));
        state->runs.push_back(names);
        return {state->act()};
    }
};
struct keen_observer {
    std::vector<std::string>* lines;
    void operator()(condense::events::before_drop_failed const& event) const { lines->push_back(event.text()); }
};
using names_by_run = std::vector<std::vector<int>>;

/// From seven messages down to four, the last two excepted.
auto summary_of_seven() {
    return condense::summarize{
        .when = used > 6_messages, .until = used <= 4_messages, .protect = condense::last(2_messages)};
}
auto window_of_seven() {
    return condense::sliding_window{
        .when = used > 6_messages, .until = used <= 4_messages, .protect = condense::nothing};
}

/// Drops the two oldest groups when there are too many.
struct drop_first {
    static constexpr auto effects = condense::drops;
    condense::trigger when = used > 3_messages;
    void arrive(auto& draft, condense::sequence, auto& pass) const {
        int count = 0;
        for (auto const which : draft.groups())
            if (count++ < 2) pass.note(draft.drop(which));
    }
};

/// Drops the summary while the flag is up.
struct drop_summary {
    bool const* up;
    static constexpr auto effects = condense::drops;
    void reduce(auto& draft, auto& pass) const {
        for (auto const which : draft.groups())
            if (which.is_summary() && *up) pass.note(draft.drop(which));
    }
};

struct fixture {
    hook_state state;
    std::vector<std::string> lines;
    bool stop = false;

    auto options() {
        return condense::run_options{
            .stop = stop_flag{&stop}, .observer = keen_observer{&lines}, .before_drop = hook{&state}};
    }
    template <class Mix>
    auto holding(Mix mix, conversation all) {
        return condense::session{std::move(all), condense::pipeline{mix}, roomy, per_byte{}, options()};
    }
};

}  // namespace

TEST_CASE("session: a run gives what leaves once, and again only what had come back") {
    fixture test;
    auto session = test.holding(window_of_seven(), turns(7));
    CHECK(session.prepare().before_drop.messages == 4_messages);
    CHECK(test.state.runs == names_by_run{{0, 1, 2, 3}});
    CHECK_FALSE(session.run().changed());
    for (std::size_t index = 7; index < 11; ++index) session.push(turn(index));
    CHECK(session.draft().changed());
    CHECK(session.draft().before_drop.messages == 0_messages);
    static_cast<void>(session.prepare());
    CHECK(test.state.runs == names_by_run{{0, 1, 2, 3}, {4, 5, 6, 7}});
    CHECK(session.undo());
    CHECK_FALSE(session.restore({0}));
    static_cast<void>(session.run());
    CHECK(test.state.runs.size() == 3u);
    CHECK(test.state.runs.back() == std::vector<int>{0, 4, 5, 6, 7});
    CHECK(session.statistics().before_drop.messages == 13u);
    CHECK(session.statistics().before_drop.failures == 0u);
    CHECK(test.lines.empty());
}

TEST_CASE("session: a recovery and a summary in the background give what they take out, but no summary") {
    fixture test;
    auto session = test.holding(summary_of_seven(), turns(7));
    auto const job = session.begin_summary();
    REQUIRE(job);
    CHECK(test.state.runs.empty());
    CHECK(session.commit(job, "in short") == commit_outcome::committed);
    CHECK(test.state.runs == names_by_run{{0, 1, 2, 3}});
    CHECK(session.commit(job, "in short") == commit_outcome::stale);
    CHECK(session.statistics().before_drop.messages == 4u);
    for (std::size_t index = 7; index < 11; ++index) session.push(turn(index));
    static_cast<void>(session.run());
    REQUIRE(test.state.runs.size() == 2u);
    CHECK(test.state.runs[1].front() == 4);

    bool up = false;
    fixture third;
    condense::session dropping{turns(7), condense::pipeline{summary_of_seven(), drop_summary{&up}}, roomy, per_byte{},
                               third.options()};
    static_cast<void>(dropping.run());
    CHECK(third.state.runs == names_by_run{{0, 1, 2, 3}});
    up = true;
    CHECK(dropping.run().changed());
    CHECK(indices(sent(dropping)) == std::vector<int>{4, 5, 6});
    CHECK(third.state.runs.size() == 1u);

    fixture other;
    auto refused = other.holding(window_of_seven(), turns(6));
    CHECK(refused.recover({.status = 400, .text = "prompt is too long: 2000 tokens > 700 maximum"}) ==
          condense::recover_outcome::retry);
    REQUIRE(other.state.runs.size() == 1u);
    CHECK(other.state.runs[0].front() == 0);
}

TEST_CASE("session: a failure of before_drop is an event and a figure, and the run stands") {
    fixture test;
    test.state.act = [] { return "full"; };
    auto session = test.holding(window_of_seven(), turns(7));
    auto const report = session.prepare();
    CHECK(report.changed());
    CHECK(std::string_view{report.before_drop.failure} == "full");
    CHECK(test.lines == std::vector<std::string>{"before_drop failed: 4 messages left without it"});
    test.state.act = []() -> std::string { throw std::runtime_error{"gone"}; };
    for (std::size_t index = 7; index < 11; ++index) session.push(turn(index));
    static_cast<void>(session.prepare());
    CHECK(test.lines.size() == 2u);
    auto const& sums = session.statistics().before_drop;
    CHECK(sums.failures == 2u);
    CHECK(std::string_view{sums.failure} == "gone");
    CHECK(session.statistics().text().find("before_drop failed in 2 runs: gone\n") != std::string::npos);
    CHECK(sent(session).size() == 3u);
    CHECK(session.history().size() == 11u);

    fixture other;
    other.state.act = [] { return "full"; };
    auto background = other.holding(summary_of_seven(), turns(7));
    CHECK(background.commit(background.begin_summary(), "in short") == commit_outcome::committed);
    CHECK(other.lines == std::vector<std::string>{"before_drop failed: 4 messages left without it"});
}

TEST_CASE("session: what a hook pushes is deferred, also where it ends the run") {
    fixture test;
    auto session = test.holding(window_of_seven(), turns(7));
    bool cancels = true;
    std::size_t next = 7;
    test.state.act = [&]() -> std::string {
        CHECK_FALSE(session.push(turn(next++)));
        CHECK_FALSE(session.undo());
        if (cancels) throw condense::cancelled{};
        return {};
    };
    CHECK_THROWS_AS(session.run(), condense::cancelled);
    CHECK(sent(session) == turns(8));
    CHECK(session.statistics().runs == 0u);
    cancels = false;
    CHECK(session.run().changed());
    CHECK(session.history() == turns(9));
    CHECK(indices(sent(session)) == std::vector<int>{4, 5, 6, 7, 8});
    CHECK(miscounted(session).empty());
}

TEST_CASE("session: a cancelled commit leaves the job under way; one that is stopped declines") {
    fixture test;
    auto session = test.holding(summary_of_seven(), turns(7));
    auto const job = session.begin_summary();
    test.state.act = []() -> std::string { throw condense::cancelled{}; };
    CHECK_THROWS_AS(session.commit(job, "in short"), condense::cancelled);
    CHECK(sent(session) == turns(7));
    test.state.act = [&] { return test.stop = true, std::string{"interrupted"}; };
    CHECK(session.commit(job, "in short") == commit_outcome::declined);
    CHECK(session.note() == "stopped");
    CHECK(sent(session) == turns(7));
    CHECK(session.statistics().layers[0].groups_dropped == 0u);
    test.stop = false;
    test.state.act = [] { return std::string{}; };
    CHECK(session.commit(session.begin_summary(), "in short") == commit_outcome::committed);
    CHECK(miscounted(session).empty());
}

TEST_CASE("session: with a journal that fails nothing leaves and nothing is given") {
    hook_state state;
    tapes::tape const journal;
    journal.held->down[0] = true;
    condense::session session{turns(7), condense::pipeline{condense::record{.to = journal}, window_of_seven()}, roomy,
                              per_byte{}, condense::run_options{.before_drop = hook{&state}}};
    CHECK_FALSE(session.run().changed());
    CHECK(state.runs.empty());
    journal.held->down[0] = false;
    CHECK(session.run().changed());
    CHECK(state.runs == names_by_run{{0, 1, 2, 3}});
}

TEST_CASE("session: pipelines whose type is hidden and layers that drop on arrival give what leaves") {
    fixture test;
    condense::session session{turns(7), condense::any_pipeline<chat_message>{window_of_seven()}, roomy, per_byte{},
                              test.options()};
    static_cast<void>(session.run());
    CHECK(test.state.runs == names_by_run{{0, 1, 2, 3}});

    fixture other;
    auto arriving = other.holding(drop_first{}, turns(3));
    arriving.push(turn(3));
    CHECK(other.state.runs == names_by_run{{0, 1}});
    arriving.push(turn(4));
    CHECK(other.lines.empty());
    other.state.act = [] { return "full"; };
    arriving.push(turn(5));
    CHECK(other.state.runs == names_by_run{{0, 1}, {2, 3}});
    CHECK(other.lines.size() == 1u);
    CHECK(arriving.statistics().before_drop.failures == 1u);
}
