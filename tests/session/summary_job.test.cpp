// SPDX-License-Identifier: BSL-1.0
#include <condense/session/summary_job.hpp>

#include <condense/condense.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::group;
using condense::summary_plan;
using condense::detail::job_ledger;
using namespace condense::literals;

auto three_turns() {
    return toy::desk{{toy::user("a"), toy::assistant("b"), toy::user("c"), toy::assistant("d"), toy::user("e")}};
}

/// A layer that plans, and tells which one it is.
struct planner {
    int which = 0;
    static constexpr auto effects = condense::no_effects;
    static constexpr bool plans_summaries = true;
    void reduce(auto&, auto&) const {}
};

/// Which planner, and its entry in a report.
template <class Layer>
std::pair<int, std::size_t> planner_in(Layer const& layer) {
    std::pair<int, std::size_t> found;
    auto const take = [&](auto const& one, std::size_t entry) { found = {one.which, entry}; };
    bool const any = condense::detail::with_planner(layer, take);
    return any ? found : std::pair{-1, std::size_t{0}};
}

}  // namespace

TEST_CASE("a job that asks nothing is false, and outcomes have names") {
    CHECK_FALSE(condense::summary_job{});
    CHECK(condense::summary_job{.id = 1});
    using condense::commit_outcome;
    CHECK(name(commit_outcome::committed) == std::string_view{"committed"});
    CHECK(name(commit_outcome::stale) == std::string_view{"stale"});
    CHECK(name(commit_outcome::declined) == std::string_view{"declined"});
    CHECK(name(commit_outcome::busy) == std::string_view{"busy"});
}

TEST_CASE("a ledger knows its jobs by id, and each once") {
    auto const desk = three_turns();
    job_ledger jobs;
    auto const one =
        jobs.add(desk.facts, {.groups = {group{0}, group{1}}, .prompt = {.instructions = "p"}, .limit = 5_tokens});
    auto const other = jobs.add(desk.facts, {.groups = {group{3}}, .prompt = {.instructions = "p"}});
    CHECK(one != 0);
    CHECK(other != 0);
    CHECK(one != other);
    REQUIRE(jobs.find(one) != nullptr);
    CHECK(jobs.find(one)->groups == std::vector<group>{group{0}, group{1}});
    CHECK(jobs.find(one)->limit == 5_tokens);
    CHECK(jobs.find(0) == nullptr);
    CHECK(jobs.overlaps({group{1}}));
    CHECK(jobs.overlaps({group{2}, group{1}.summary()}));
    CHECK_FALSE(jobs.overlaps({group{2}, group{4}}));
    CHECK(jobs.erase(one));
    CHECK_FALSE(jobs.erase(one));
    CHECK(jobs.find(one) == nullptr);
    CHECK(jobs.find(other) != nullptr);
    CHECK_FALSE(jobs.overlaps({group{1}}));
    jobs.clear();
    CHECK(jobs.find(other) == nullptr);
}

TEST_CASE("a job of another ledger, or an earlier one, is not known by its number") {
    auto const desk = three_turns();
    job_ledger mine;
    job_ledger other;
    auto const id = mine.add(desk.facts, {.groups = {group{0}}, .prompt = {.instructions = "what I said"}});
    CHECK(other.add(desk.facts, {.groups = {group{0}}, .prompt = {.instructions = "what they said"}}) != id);
    CHECK(other.find(id) == nullptr);
    CHECK(mine.erase(id));
    CHECK(mine.add(desk.facts, {.groups = {group{0}}, .prompt = {.instructions = "what I said"}}) != id);
    CHECK(mine.find(id) == nullptr);
}

TEST_CASE("steps end the jobs that they touch, and no others") {
    auto desk = three_turns();
    job_ledger jobs;
    auto const early = jobs.add(desk.facts, {.groups = {group{0}, group{1}}, .prompt = {.instructions = "p"}});
    auto const late = jobs.add(desk.facts, {.groups = {group{2}, group{3}}, .prompt = {.instructions = "p"}});
    auto const mark = desk.edits.steps().size();
    SECTION("a drop") { CHECK_FALSE(desk.draft().drop(group{1})); }
    SECTION("an edited part") {
        desk.edits.edit_part(desk.facts, condense::edit_kind::remove, toy::part_of(desk.facts, 1).part_id, {}, {});
        CHECK(desk.edits.steps().size() == mark + 1);
    }
    SECTION("a summary in its place") { CHECK_FALSE(desk.draft().summarize(std::vector{group{0}}, "s")); }
    jobs.touched(desk.facts, desk.edits, desk.edits.steps().size());
    CHECK(jobs.find(early) != nullptr);
    jobs.touched(desk.facts, desk.edits, mark);
    CHECK(jobs.find(early) == nullptr);
    CHECK(jobs.find(late) != nullptr);
}

TEST_CASE("a job holds still while its groups are there with the messages they had") {
    toy::desk desk{{toy::user("a"), toy::call("1"), toy::user("c"), toy::assistant("d"), toy::user("e")}};
    job_ledger jobs;
    auto const id = jobs.add(desk.facts, {.groups = {group{0}, group{1}}, .prompt = {.instructions = "p"}});
    auto const holds = [&] { return job_ledger::is_current(*jobs.find(id), desk.facts, desk.edits); };
    CHECK(holds());
    desk.push(toy::assistant("more"));
    CHECK(holds());
    SECTION("a late result") {
        desk.push(toy::result("1"));
        CHECK(desk.edits.present(group{1}));
    }
    SECTION("a dropped group") {
        desk.edits.drop(desk.facts, group{0});
        CHECK_FALSE(desk.edits.present(group{0}));
    }
    CHECK_FALSE(holds());
}

TEST_CASE("the planner of a mix is the first layer that plans, however deep") {
    CHECK(planner_in(planner{7}) == std::pair{7, std::size_t{0}});
    CHECK(planner_in(condense::pipeline{condense::sliding_window{},
                                        condense::pipeline{condense::sliding_window{}, planner{1}, planner{2}},
                                        planner{3}}) == std::pair{1, std::size_t{2}});
    CHECK(planner_in(condense::pipeline{condense::sliding_window{}}).first == -1);
    static_assert(condense::detail::has_planner<condense::pipeline<condense::pipeline<planner>>>);
    static_assert(!condense::detail::has_planner<condense::pipeline<condense::sliding_window<>>>);
    static_assert(condense::detail::has_planner<condense::summarize<>>);
    static_assert(condense::detail::has_planner<condense::fallback<condense::sliding_window<>, condense::summarize<>>>);
}
