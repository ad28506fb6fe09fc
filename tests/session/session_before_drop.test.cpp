// SPDX-License-Identifier: BSL-1.0
#include <condense/session/session.hpp>

#include <condense/core/any_pipeline.hpp>

#include "session/short_names.hpp"

// What sessions give to run_options::before_drop: each verb that takes messages out, once, whatever becomes of it.

namespace {

using namespace short_names;

using fakes::heard, fakes::hook, fakes::roomy, fakes::stop_flag;
using names_by_run = std::vector<std::vector<int>>;

auto window_of_seven() {
    return sliding_window{.when = used > 6_messages, .until = used <= 4_messages, .protect = nothing};
}

/// Drops the two oldest groups when there are too many.
struct drop_first {
    static constexpr auto effects = condense::drops;
    condense::trigger when = used > 3_messages;
    void arrive(auto& draft, sequence, auto& pass) const {
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
    hook seen = {};
    std::vector<std::string> lines = {};
    bool stop = false;

    names_by_run const& runs() const { return seen.held->runs; }
    void act(std::function<std::string()> what) { seen.held->act = std::move(what); }
    auto options() {
        return run_options{
            .stop = stop_flag{&stop}, .observer = heard<events::before_drop_failed>{&lines}, .before_drop = seen};
    }
    template <class Layer>
    auto over(Layer layer, conversation all) {
        return holding(pipeline{layer}, std::move(all), roomy, options());
    }
};

}  // namespace

TEST_CASE("session: a run gives what leaves once, and again only what had come back") {
    fixture test;
    auto session = test.over(window_of_seven(), turns(7));
    CHECK(session.prepare().before_drop.messages == 4_messages);
    CHECK(test.runs() == names_by_run{{0, 1, 2, 3}});
    CHECK_FALSE(session.run().changed());
    for (std::size_t index = 7; index < 11; ++index) session.push(turn(index));
    CHECK(session.draft().changed());
    CHECK(session.draft().before_drop.messages == 0_messages);
    static_cast<void>(session.prepare());
    CHECK(test.runs() == names_by_run{{0, 1, 2, 3}, {4, 5, 6, 7}});
    CHECK(session.undo());
    CHECK_FALSE(session.restore({0}));
    static_cast<void>(session.run());
    CHECK(test.runs().size() == 3u);
    CHECK(test.runs().back() == std::vector<int>{0, 4, 5, 6, 7});
    CHECK(session.statistics().before_drop.messages == 13u);
    CHECK(session.statistics().before_drop.failures == 0u);
    CHECK(test.lines.empty());
}

TEST_CASE("session: a recovery and a summary in the background give what they take out, but no summary") {
    fixture test;
    auto session = test.over(mixes::seven_to_four(), turns(7));
    auto const job = session.begin_summary();
    REQUIRE(job);
    CHECK(test.runs().empty());
    CHECK(session.commit(job, "in short") == commit_outcome::committed);
    CHECK(test.runs() == names_by_run{{0, 1, 2, 3}});
    CHECK(session.commit(job, "in short") == commit_outcome::stale);
    CHECK(session.statistics().before_drop.messages == 4u);
    for (std::size_t index = 7; index < 11; ++index) session.push(turn(index));
    static_cast<void>(session.run());
    REQUIRE(test.runs().size() == 2u);
    CHECK(test.runs()[1].front() == 4);

    bool up = false;
    fixture third;
    auto dropping = holding(pipeline{mixes::seven_to_four(), drop_summary{&up}}, turns(7), roomy, third.options());
    static_cast<void>(dropping.run());
    CHECK(third.runs() == names_by_run{{0, 1, 2, 3}});
    up = true;
    CHECK(dropping.run().changed());
    CHECK(indices(sent(dropping)) == std::vector<int>{4, 5, 6});
    CHECK(third.runs().size() == 1u);

    fixture other;
    auto refused = other.over(window_of_seven(), turns(6));
    CHECK(refused.recover({.status = 400, .text = "prompt is too long: 2000 tokens > 700 maximum"}) ==
          recover_outcome::retry);
    REQUIRE(other.runs().size() == 1u);
    CHECK(other.runs()[0].front() == 0);
}

TEST_CASE("session: a failure of before_drop is an event and a figure, and the run stands") {
    fixture test;
    test.act([] { return "full"; });
    auto session = test.over(window_of_seven(), turns(7));
    auto const report = session.prepare();
    CHECK(report.changed());
    CHECK(std::string_view{report.before_drop.failure} == "full");
    CHECK(test.lines == std::vector<std::string>{"before_drop failed: 4 messages left without it"});
    test.act([]() -> std::string { throw std::runtime_error{"gone"}; });
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
    other.act([] { return "full"; });
    auto background = other.over(mixes::seven_to_four(), turns(7));
    CHECK(background.commit(background.begin_summary(), "in short") == commit_outcome::committed);
    CHECK(other.lines == std::vector<std::string>{"before_drop failed: 4 messages left without it"});
}

TEST_CASE("session: what a hook pushes is deferred, also where it ends the run") {
    fixture test;
    auto session = test.over(window_of_seven(), turns(7));
    bool cancels = true;
    std::size_t next = 7;
    test.act([&]() -> std::string {
        CHECK_FALSE(session.push(turn(next++)));
        CHECK_FALSE(session.undo());
        if (cancels) throw cancelled{};
        return {};
    });
    CHECK_THROWS_AS(session.run(), cancelled);
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
    auto session = test.over(mixes::seven_to_four(), turns(7));
    auto const job = session.begin_summary();
    test.act([]() -> std::string { throw cancelled{}; });
    CHECK_THROWS_AS(session.commit(job, "in short"), cancelled);
    CHECK(sent(session) == turns(7));
    test.act([&] { return test.stop = true, std::string{"interrupted"}; });
    CHECK(session.commit(job, "in short") == commit_outcome::declined);
    CHECK(session.note() == "stopped");
    CHECK(sent(session) == turns(7));
    CHECK(session.statistics().layers[0].groups_dropped == 0u);
    test.stop = false;
    test.act([] { return std::string{}; });
    CHECK(session.commit(session.begin_summary(), "in short") == commit_outcome::committed);
    CHECK(miscounted(session).empty());
}

TEST_CASE("session: with a journal that fails nothing leaves and nothing is given") {
    hook const seen;
    tapes::tape const journal;
    journal.held->down[0] = true;
    auto session =
        holding(pipeline{record{.to = journal}, window_of_seven()}, turns(7), roomy, run_options{.before_drop = seen});
    CHECK_FALSE(session.run().changed());
    CHECK(seen.held->runs.empty());
    journal.held->down[0] = false;
    CHECK(session.run().changed());
    CHECK(seen.held->runs == names_by_run{{0, 1, 2, 3}});
}

TEST_CASE("session: pipelines whose type is hidden and layers that drop on arrival give what leaves") {
    fixture test;
    auto session = holding(condense::any_pipeline<chat_message>{window_of_seven()}, turns(7), roomy, test.options());
    static_cast<void>(session.run());
    CHECK(test.runs() == names_by_run{{0, 1, 2, 3}});

    fixture other;
    auto arriving = other.over(drop_first{}, turns(3));
    arriving.push(turn(3));
    CHECK(other.runs() == names_by_run{{0, 1}});
    arriving.push(turn(4));
    CHECK(other.lines.empty());
    other.act([] { return "full"; });
    arriving.push(turn(5));
    CHECK(other.runs() == names_by_run{{0, 1}, {2, 3}});
    CHECK(other.lines.size() == 1u);
    CHECK(arriving.statistics().before_drop.failures == 1u);
}
