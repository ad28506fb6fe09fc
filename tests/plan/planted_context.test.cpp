// SPDX-License-Identifier: BSL-1.0
// Whether the context for a planted question has its answer, at a tenth of the size of all artifacts.
#include <condense/plan/context.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include <condense/estimate/char_ratio.hpp>
#include <condense/plan/query_terms.hpp>
#include <condense/plan/ranking.hpp>

#include "plan/planted_questions.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using list_type = condense::artifact_list<condense::char_ratio<condense::family::claude>>;

list_type list_of(plan_tests::planted_question const& asked) {
    list_type list;
    for (auto const& each : asked.artifacts) REQUIRE_FALSE(list.attach({.content = each.text, .source = each.source}));
    return list;
}

}  // namespace

TEST_CASE("planted_context: 95 of 100 answers are in the context, and few in the newest that fit") {
    std::uint64_t const questions = effort() < 100 ? rounds(150) : rounds(500);
    std::uint64_t planned = 0;
    std::uint64_t newest = 0;
    for (std::uint64_t seed = 0; seed < questions; ++seed) {
        auto const asked = plan_tests::planted(seed);
        auto const list = list_of(asked);
        condense::tokens total;
        for (auto const& each : list.all()) total = total + each.cost;
        condense::tokens const budget{total.count / 10};
        auto const context = condense::plan_context{}(list, {.question = asked.question, .budget = budget});
        CHECK(context.used <= budget);
        planned += context.text.find(asked.answer) != std::string::npos ? 1u : 0u;
        auto left = budget;
        for (auto index = list.size(); index-- != 0 && list.all()[index].cost <= left;) {
            left = left - list.all()[index].cost;
            newest += index == asked.artifact ? 1u : 0u;
        }
    }
    CHECK(planned * 100 >= questions * 95);
    CHECK(newest * 100 < questions * 20);
}

TEST_CASE("planted_context: nine of ten answers are among the ten best passages") {
    std::uint64_t const questions = effort() < 100 ? rounds(150) : rounds(500);
    std::uint64_t among = 0;
    for (std::uint64_t seed = 0; seed < questions; ++seed) {
        auto const asked = plan_tests::planted(seed);
        condense::detail::passage_scores scores{condense::detail::query_terms{asked.question}};
        for (std::size_t index = 0; index < asked.artifacts.size(); ++index)
            scores.see(index, asked.artifacts[index].text);
        auto const ranked = scores.rank();
        auto const middle = asked.offset + asked.answer.size() / 2;
        for (std::size_t place = 0; place < ranked.size() && place < 10; ++place)
            if (ranked[place].text == asked.artifact && ranked[place].offset <= middle &&
                middle < ranked[place].offset + ranked[place].size) {
                ++among;
                break;
            }
    }
    CHECK(among * 10 >= questions * 9);
}
