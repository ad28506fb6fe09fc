// SPDX-License-Identifier: BSL-1.0
#include <condense/config/model_roles.hpp>

#include <map>

#include <condense/estimate/models.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::default_side_model, condense::model_roles;

/// An environment of a test's own.
struct variables {
    std::map<std::string, std::string> all;
    std::optional<std::string> operator()(std::string const& name) const {
        auto const position = all.find(name);
        return position == all.end() ? std::nullopt : std::optional{position->second};
    }
};

condense::model priced(condense::price input) { return {.name = "m", .price = condense::prices{.input = input}}; }

}  // namespace

TEST_CASE("model_roles: each task has its variable; where that is unset or blank it is the default", "[row-P7]") {
    auto const roles = model_roles::from_environment(
        "big", variables{{{"CONTEXT_PLANNER_MODEL", " fast one\n"}, {"SUMMARIZER_MODEL", std::string("a\0\xFF", 3)}}});
    CHECK(roles.planner == condense::model_role{"fast one", true});
    CHECK(roles.summariser == condense::model_role{std::string("a\0\xFF", 3), true});
    auto const one = model_roles::from_environment("big", variables{{{"SUMMARIZER_MODEL", "small"}}});
    CHECK((one.planner == condense::model_role{} && one.summariser == condense::model_role{"small", true}));
    ::setenv("SUMMARIZER_MODEL", "small", 1);
    ::unsetenv("CONTEXT_PLANNER_MODEL");
    auto const of_process = model_roles::from_environment("big");
    ::unsetenv("SUMMARIZER_MODEL");
    CHECK(of_process == model_roles{.primary = "big", .summariser = {"small", true}});
    auto const none = model_roles::from_environment("big", variables{});
    CHECK((none.primary == "big" && none.planner.name == "gpt-4o-mini" && none.summariser.name == "gpt-4o-mini"));
    CHECK_FALSE(none.planner.chosen);
    for (std::string const blank : {"", " ", "\t\r\n"})
        CHECK(model_roles::from_environment(
                  "big", variables{{{"CONTEXT_PLANNER_MODEL", blank}, {"SUMMARIZER_MODEL", blank}}}) == none);
}

TEST_CASE("model_roles: side tasks go to the chosen model, from an expensive one to the default", "[row-P7]") {
    auto const cheap = priced({9'999'999});
    auto const expensive = priced(10_per_million);
    condense::model const unknown{.name = "m"};
    model_roles const roles{.primary = "m", .summariser = {"small", true}};
    for (auto const& facts : {cheap, expensive, unknown}) CHECK(roles.model_for(roles.summariser, facts) == "small");
    CHECK(roles.model_for(roles.planner, expensive) == default_side_model);
    CHECK(roles.model_for(roles.planner, cheap) == "m");
    CHECK(roles.model_for(roles.planner, unknown) == "m");  // a missing price is no error
    CHECK(model_roles{}.model_for({}, cheap) == default_side_model);  // there is no other
    model_roles const same{.primary = "m", .planner = {"gpt-4o-mini", true}};
    CHECK(same.model_for(same.planner, cheap) == "gpt-4o-mini");
    CHECK(roles.model_for(roles.planner, condense::find_model("no such model").facts) == "m");
}
