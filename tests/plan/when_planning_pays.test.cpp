// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/when_planning_pays.hpp>

#include <limits>
#include <set>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::planning_facts, condense::planning_reason, condense::when_planning_pays;

/// Two artifacts of this turn that fit well, read by a cheap model. Each test changes what it is about.
constexpr planning_facts ordinary() {
    return {.artifacts = 2,
            .total = 8'000_chars,
            .largest = 6'000_chars,
            .request = 3'000_tokens,
            .input = 10'000_tokens,
            .input_price = 1_per_million};
}
constexpr planning_facts with(auto const& change) {
    auto facts = ordinary();
    change(facts);
    return facts;
}
constexpr bool is(planning_facts const& facts, planning_reason why, bool pays, when_planning_pays const& rule = {}) {
    return rule.reason(facts) == why && rule(facts) == pays;
}
static_assert(is(ordinary(), planning_reason::fits, false));

constexpr bool without_artifacts_there_is_nothing_to_plan() {
    auto none = ordinary();
    none.artifacts = 0;
    none.historical = true;
    none.request = 99'999_tokens;
    return is(none, planning_reason::no_artifacts, false) && is({}, planning_reason::no_artifacts, false) &&
           is(with([](auto& facts) { facts.artifacts = 1; }), planning_reason::fits, false);
}

constexpr bool artifacts_of_earlier_turns_are_planned_however_small() {
    auto facts = ordinary();
    facts.historical = true;
    facts.total = 1_chars;
    return is(facts, planning_reason::historical, true) &&
           is(facts, planning_reason::little, false, {.historical = false});
}

constexpr bool below_five_thousand_characters_nothing_is() {
    auto const of = [](std::uint64_t total) {
        auto facts = ordinary();
        facts.total = {total};
        facts.largest = {total};
        facts.request = 9'999_tokens;
        facts.input_price = 100_per_million;
        return facts;
    };
    return is(of(4'999), planning_reason::little, false) && is(of(5'000), planning_reason::near_limit, true) &&
           is(of(5'001), planning_reason::near_limit, true) &&
           is(of(5'000), planning_reason::little, false, {.least = 5'001_chars});
}

constexpr bool thirty_per_cent_of_the_input_are_room_to_spare() {
    auto const of = [](std::uint64_t request) {
        auto facts = ordinary();
        facts.request = {request};
        facts.largest = 99'999_chars;  // which does not matter where all fits
        return facts;
    };
    return is(of(6'999), planning_reason::fits, false) && is(of(7'000), planning_reason::fits, false) &&
           is(of(7'001), planning_reason::near_limit, true) && is(of(10'001), planning_reason::near_limit, true) &&
           is(of(7'001), planning_reason::fits, false, {.spare = 10_pct}) &&
           is(of(10'000), planning_reason::fits, false, {.spare = 0_pct}) &&
           is(of(10'001), planning_reason::near_limit, true, {.spare = 0_pct});
}

/// 0.00001 for a token, ten for a million.
constexpr bool an_expensive_model_is_known_by_its_price() {
    auto const of = [](condense::price price) { return with([=](auto& facts) { facts.input_price = price; }); };
    return is(of({9'999'999}), planning_reason::fits, false) &&
           is(of(10_per_million), planning_reason::expensive, true) &&
           is(of({10'000'001}), planning_reason::expensive, true) && is(of({0}), planning_reason::fits, false) &&
           is(of(10_per_million), planning_reason::fits, false, {.expensive = 11_per_million});
}

/// Where the price is unknown: a cheap model that all fits for has been ruled out before.
constexpr bool an_artifact_over_ten_thousand_characters_is_large() {
    auto const of = [](std::uint64_t largest, condense::tokens request = 3'000_tokens) {
        return planning_facts{
            .artifacts = 2, .total = 20'000_chars, .largest = {largest}, .request = request, .input = 10'000_tokens};
    };
    return is(of(9'999), planning_reason::no_reason, false) && is(of(10'000), planning_reason::no_reason, false) &&
           is(of(10'001), planning_reason::large_artifact, true) &&
           is(of(1, 7'001_tokens), planning_reason::near_limit, true) &&
           is(of(10'000), planning_reason::large_artifact, true, {.large = 9'999_chars});
}

constexpr bool figures_of_any_size_are_harmless() {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    for (auto const figure :
         {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63, most}) {
        planning_facts const facts{.artifacts = 1,
                                   .total = {most},
                                   .largest = {figure},
                                   .request = {figure},
                                   .input = {figure},
                                   .input_price = condense::price{figure}};
        // Of an input of nothing, nothing is left to spare, and none is needed.
        auto const why = when_planning_pays{}.reason(facts);
        if (why != (figure == 0 ? planning_reason::fits : planning_reason::near_limit)) return false;
    }
    return is({.artifacts = 1, .total = {most}, .request = 1_tokens}, planning_reason::near_limit, true) &&
           is({.artifacts = most, .total = {most}, .largest = {most}, .input = {most}}, planning_reason::large_artifact,
              true);
}

static_assert(when_planning_pays{} == when_planning_pays{} &&
              when_planning_pays{.least = 1_chars} != when_planning_pays{});

}  // namespace

TEST_CASE("when_planning_pays: each rule, one below, at and one above its limit") {
    CHECK_TWICE(without_artifacts_there_is_nothing_to_plan());
    CHECK_TWICE(artifacts_of_earlier_turns_are_planned_however_small());
    CHECK_TWICE(below_five_thousand_characters_nothing_is());
    CHECK_TWICE(thirty_per_cent_of_the_input_are_room_to_spare());
    CHECK_TWICE(an_expensive_model_is_known_by_its_price());
    CHECK_TWICE(an_artifact_over_ten_thousand_characters_is_large());
    CHECK_TWICE(figures_of_any_size_are_harmless());
}

TEST_CASE("when_planning_pays: reasons have words of their own") {
    std::set<std::string_view> names;
    for (auto const each : {planning_reason::no_artifacts, planning_reason::historical, planning_reason::little,
                            planning_reason::fits, planning_reason::near_limit, planning_reason::expensive,
                            planning_reason::large_artifact, planning_reason::no_reason}) {
        names.insert(name(each));
        CHECK_FALSE(name(each).empty());
    }
    CHECK(names.size() == 8);
}
