// SPDX-License-Identifier: BSL-1.0
#include <functional>

#include "faults/harness.hpp"
#include "support/messages/chat.hpp"

// Jobs of a session over the program's own container, with each point failing in turn: what fails has
// changed nothing, and what the program did is taken in by the next call.

namespace {

using namespace notation;
using faults::touchy;
using touched = touchy<condense::chat_message>;
using container = std::vector<touched>;

struct outcomes {
    std::uint64_t thrown = 0;
    std::uint64_t declined = 0;
    std::uint64_t committed = 0;
};

template <class Session>
conversation as_it_is(Session const& session) {
    faults::aside const here;
    return forms::request_of(session);
}

/// One course, in which the n-th point fails; how many points it has.
std::uint64_t run(std::uint64_t failing, outcomes& counted) {
    using namespace condense::literals;
    using condense::used;
    faults::touchy_journal const journal;
    auto const mix = condense::pipeline{
        condense::record{.to = journal},
        condense::compress{
            .when = used >= 20_pct, .over = 300_chars, .with = condense::head_tail{.head = 40_chars, .tail = 40_chars}},
        condense::summarize{
            .when = used >= 40_pct, .protect = condense::last(4_messages), .with = faults::touchy_model{}}};
    auto mine = forms::all_from_chat<container>(faults::eventful_conversation());
    auto more = forms::all_from_chat<container>(conversation{U("one more"), A("and more"), U("changed")});
    for (std::size_t index = 0; index < more.size(); ++index) more[index].held.name = "m" + std::to_string(90 + index);
    mine.reserve(mine.size() + 4);
    condense::session session{std::ref(mine), mix, condense::budget{.window = {4'000}}, faults::touchy_estimator{}};
    condense::summary_job job;
    auto const points = faults::points_of(failing, [&] {
        auto const strong = [&](char const* what, auto const& act) {
            auto const before = as_it_is(session);
            bool const threw = faults::throws(act);
            counted.thrown += threw ? 1u : 0u;
            if (threw) faults::expect(as_it_is(session) == before, failing, what);
            return !threw;
        };
        strong("a job that was not begun", [&] { job = session.begin_summary(); });
        if (!job) strong("a job that was not begun either", [&] { job = session.begin_summary(); });
        auto const size = mine.size();
        if (!strong("a message that did not come", [&] { session.push(std::move(more[0])); }))
            faults::expect(mine.size() == size || mine.size() == size + 1, failing, "another container");
        std::string text{"in short"};
        auto const before = as_it_is(session);
        auto outcome = condense::commit_outcome::stale;
        if (strong("a summary that was not put", [&] { outcome = session.commit(job, text); }) &&
            outcome == condense::commit_outcome::declined) {
            ++counted.declined;
            faults::expect(as_it_is(session) == before, failing, "declined, but changed");
        }
        counted.committed += outcome == condense::commit_outcome::committed ? 1u : 0u;
        {
            faults::aside const here;
            if (more[1].held.name == "m91") mine.push_back(std::move(more[1]));
            mine[3] = std::move(more[2]);
        }
        bool const unread = faults::throws([&] { session.sync({3}); });
        counted.thrown += unread ? 1u : 0u;
        if (!unread) {
            faults::aside const here;
            faults::judge(forms::all_to_chat(mine), forms::request_of(session), failing);
        }
        counted.thrown += faults::throws([&] { static_cast<void>(session.prepare()); }) ? 1u : 0u;
    });
    auto const sent = forms::all_to_chat(session.request());  // takes in what is left
    faults::judge(forms::all_to_chat(mine), sent, failing);
    faults::expect(session.outline().size() == mine.size(), failing, "not all is taken in");
    faults::judge_usage(session, failing);
    auto const next = session.begin_summary();
    if (next)
        faults::expect(session.commit(next, "shorter") != condense::commit_outcome::stale, failing,
                       "the next job is stale");
    faults::judge(forms::all_to_chat(mine), forms::request_of(session), failing);
    faults::judge_usage(session, failing);
    return points;
}

}  // namespace

TEST_CASE("faults: jobs, pushes and changes of a container that is the program's own", "[law-7]") {
    outcomes counted;
    auto const points = run(0, counted);
    CHECK(counted.committed == 1);
    CHECK(counted.thrown + counted.declined == 0);
    CHECK(points > 200);
    for (std::uint64_t failing = 1; failing <= points; failing += stride()) static_cast<void>(run(failing, counted));
    CHECK(counted.thrown > points / stride() / 4);
    if (stride() == 1) CHECK(counted.declined > 0);
    WARN(std::to_string(points) + " points, " + std::to_string(counted.thrown) + " failures reached the caller, " +
         std::to_string(counted.declined) + " were declined");
}
