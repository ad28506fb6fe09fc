// SPDX-License-Identifier: BSL-1.0
#include "plan/planted_questions.hpp"

#include <condense/estimate/char_ratio.hpp>
#include <condense/plan/context.hpp>
#include <condense/plan/ranking.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using plan_tests::planted, plan_tests::planted_question;

std::uint64_t seeds() { return effort() < 100 ? rounds(150) : rounds(500); }
/// Calls f(question) for each of so many.
void each_question(auto const& f) {
    for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
        CAPTURE(seed);
        f(planted(seed));
    }
}

TEST_CASE("planted questions are the same everywhere") {
    auto hash = condense::detail::fnv_basis;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        auto const asked = planted(seed);
        for (auto const& each : asked.artifacts)
            hash = condense::detail::fnv1a(each.text, condense::detail::fnv1a(each.source, hash));
        hash = condense::detail::fnv1a(asked.answer, condense::detail::fnv1a(asked.question, hash));
        hash = condense::detail::fnv1a(condense::detail::fnv1a(hash, asked.artifact), asked.offset);
    }
    CHECK(hash == 0x8139A5C29F62360Bu);
}

TEST_CASE("95 of 100 answers are in a context of a tenth of all, and few in the newest that fit") {
    std::uint64_t in_context = 0, newest = 0;
    each_question([&](planted_question const& asked) {
        condense::artifact_list<condense::char_ratio<condense::family::claude>> list;
        for (auto const& each : asked.artifacts)
            REQUIRE_FALSE(list.attach({.content = each.text, .source = each.source}));
        condense::tokens total;
        for (auto const& each : list.all()) total = total + each.cost;
        condense::tokens const budget{total.count / 10};
        auto const context = condense::plan_context{}(list, {.question = asked.question, .budget = budget});
        CHECK(context.used <= budget);
        in_context += context.text.find(asked.answer) != std::string::npos ? 1u : 0u;
        auto left = budget;
        for (auto index = list.size(); index-- != 0 && list.all()[index].cost <= left;) {
            left = left - list.all()[index].cost;
            newest += index == asked.artifact ? 1u : 0u;
        }
    });
    CHECK(in_context * 100 >= seeds() * 95);
    CHECK(newest * 100 < seeds() * 20);
}

TEST_CASE("nine of ten answers are among the ten best passages") {
    std::uint64_t among = 0;
    each_question([&](planted_question const& asked) {
        condense::detail::passage_scores scores{condense::detail::query_terms{asked.question}};
        for (std::size_t index = 0; index < asked.artifacts.size(); ++index)
            scores.see(index, asked.artifacts[index].text);
        auto ranked = scores.rank();
        if (ranked.size() > 10) ranked.resize(10);
        auto const middle = asked.offset + asked.answer.size() / 2;
        bool const has = std::any_of(ranked.begin(), ranked.end(), [&](auto const& each) {
            return each.text == asked.artifact && each.offset <= middle && middle < each.offset + each.size;
        });
        among += has ? 1u : 0u;
    });
    CHECK(among * 10 >= seeds() * 9);
}

}  // namespace
