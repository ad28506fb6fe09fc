// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/recency_weighted.hpp>

#include <initializer_list>

#include "support/catch.hpp"

namespace {

using condense::cost, condense::recency_weighted, condense::request_count;

constexpr recency_weighted of(std::initializer_list<std::uint64_t> halves) {
    recency_weighted rule;
    for (auto const each : halves) rule.add(each * 500'000);
    return rule;
}

constexpr bool the_newest_weigh_most() {
    auto const rising = of({8, 8, 8, 8, 8, 10, 10, 10, 12, 12});
    auto const falling = of({12, 12, 10, 10, 10, 8, 8, 8, 8, 8});
    return rising.ratio() == 5'424'222 && falling.ratio() == 4'135'333 && of({10, 10}).ratio() == 4'000'000 &&
           of({}).ratio() == 4'000'000 && of({8, 8, 8}).ratio() == 4'000'000;
}

constexpr bool reports_are_held_and_the_oldest_go() {
    recency_weighted rule;
    rule.add(0);
    rule.add(~std::uint64_t{0});
    if (rule.reports[0] != 2'000'000 || rule.reports[1] != 8'000'000) return false;
    for (int more = 0; more < 199; ++more) rule.add(4'000'000);
    return rule.size() == 200 && rule.seen == 201 && rule.reports[0] == 4'000'000 && rule.reports[1] == 8'000'000;
}

constexpr bool sums_follow_the_ratio() {
    recency_weighted rule;
    request_count const sum{.counted = cost::of({10'000}), .messages = 3, .overhead = cost::of({1'000})};
    if (rule.corrected(sum) != cost::of({11'000})) return false;
    for (int turn = 0; turn < 100; ++turn) rule.observe(sum, {21'000});  // two characters per token
    auto const now = rule.corrected(sum).tokens().count;
    return now > 20'900 && now <= 21'000 && rule.corrected({}) == cost{} &&
           recency_weighted{.baseline = 0}.corrected(sum) == sum.total();
}

constexpr bool any_figures_are_harmless() {
    constexpr std::uint64_t figures[] = {
        0, 1, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}};
    recency_weighted rule;
    for (auto const counted : figures)
        for (auto const overhead : figures)
            for (auto const reported : figures) {
                request_count const odd{.counted = {counted}, .messages = counted, .overhead = {overhead}};
                rule.observe(odd, {reported});
                if (rule.corrected(odd) < odd.overhead || rule.ratio() < 2'000'000 || rule.ratio() > 8'000'000)
                    return false;
            }
    return true;
}

constexpr bool another_model_begins_anew() {
    auto rule = of({10, 10, 10, 10});
    rule.use_model("a");
    if (rule.size() != 4) return false;
    rule.use_model("a");
    if (rule.size() != 4) return false;
    rule.use_model("b");
    return rule.size() == 0 && rule.ratio() == 4'000'000;
}

}  // namespace

TEST_CASE("recency_weighted: the ratio") {
    CHECK_TWICE(the_newest_weigh_most());
    CHECK_TWICE(reports_are_held_and_the_oldest_go());
    CHECK_TWICE(sums_follow_the_ratio());
    CHECK_TWICE(any_figures_are_harmless());
    CHECK_TWICE(another_model_begins_anew());
}

TEST_CASE("recency_weighted: what was learnt can be kept") {
    recency_weighted rule;
    rule.use_model("gpt-5");
    for (std::uint64_t turn = 0; turn < 333; ++turn) rule.add(3'000'000 + turn * 1'000);
    recency_weighted back;
    CHECK(back.load(rule.save()));
    CHECK(back.ratio() == rule.ratio());
    CHECK(back.size() == 200);
    CHECK(back.save() == rule.save());
    auto const before = back;
    for (auto const& bad :
         {std::string{}, std::string{"x"}, std::string{" "}, std::string{"1 "}, std::string{"1 5"},
          std::string{"1 9000000"}, std::string{"1  4000000"}, rule.save() + " 4000000", std::string(100'000, '7')}) {
        CHECK_FALSE(back.load(bad));
        CHECK(back == before);
    }
    CHECK(back.load("7"));
    CHECK(back.size() == 0);
}
