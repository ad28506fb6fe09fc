// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: what texts, messages and models cost, by estimate and by report.

#include <condense/core/provider_usage.hpp>
#include <condense/estimate/calibrated.hpp>
#include <condense/estimate/models.hpp>
#include <condense/estimate/recency_weighted.hpp>

#include "cases/runs.hpp"

namespace {

using namespace cases;
using condense::cost, condense::find_model, condense::script_aware;

template <class Family>
void counts_every_script() {
    script_aware<Family> const count;
    // 24 characters: "I go to the library and borrow three new books."
    constexpr std::string_view japanese =
        "\u79C1\u306F\u6628\u65E5\u56F3\u66F8\u9928\u3078\u884C\u3063\u3066\u65B0\u3057\u3044\u672C\u3092\u4E09\u518A"
        "\u501F\u308A"
        "\u307E\u3057\u305F\u3002";
    REQUIRE(count(japanese) >= cost::of({12}));
    REQUIRE(count("\U0001F600") >= cost::of({1}));
    REQUIRE(count("\u2764\uFE0F") >= cost::of({1}));
    for (std::string_view const unit : {"\uD55C\uAD6D\uC5B4", "\u8FD9\u662F\u6587", "\u6F22\u5B57\u8A9E"}) {
        auto const text = repeated(unit, 333);
        INFO(text.substr(0, 9) << ' ' << count(text).tokens().count);
        REQUIRE(count(text) >= cost::of({500}));
        REQUIRE(count(text) <= cost::of({1600}));
    }
}

/// An estimator of a program's own: 2.5 characters a token, role, author's and tool's names and ids counted, and 5
/// tokens a message, 12 a call, 9 a result.
struct all_counted {
    condense::chars_per_token ratio{25, {0}};
    cost operator()(std::string_view text) const { return ratio(text); }
    cost frame(role speaker, std::string_view author) const {
        return cost::of({5}) + ratio(std::string{condense::name(speaker)}.append(author));
    }
    cost frame(condense::part_view const& part) const {
        auto const names = ratio(std::string{part.tool}.append(part.call));
        if (part.kind == part_kind::tool_call) return names + cost::of({12});
        return part.kind == part_kind::tool_result ? names + cost::of({9}) : cost{};
    }
};

template <class Estimator>
std::uint64_t tokens_of(conversation const& messages, Estimator const& count) {
    return condense::dry_run(messages, pipeline{window_to(90_pct)}, {.window = 100'000_tokens}, count)
        .used()
        .tokens.count;
}

condense::recency_weighted observed(std::initializer_list<std::uint64_t> chars_per_token) {
    condense::recency_weighted rule;
    for (auto const each : chars_per_token) rule.add(each * 1'000'000);
    return rule;
}

}  // namespace

TEST_CASE("role and author may cost beside a text", "[case-154]") {
    auto const one = [](chat_message const& m) {
        auto const found = tokens_of({m}, all_counted{});
        CHECK(tokens_of({m}, condense::calibrated{.count = all_counted{}}) == found);
        return found;
    };
    CHECK(one(U(letters(100))) == 47);
    CHECK(one(A(letters(100))) == 49);
    CHECK(one(U("")) == 7);
    auto alice = U("ten bytes.");
    alice.name = "alice";
    CHECK(one(alice) == 13);
}

TEST_CASE("calls and results may cost beside a text", "[case-155]") {
    auto const call = C("call_1", "search", R"({"query":"test"})");
    auto result = R("call_1", letters(50));
    result.parts[0].tool = "search";
    auto const of_call = tokens_of({call}, all_counted{});
    CHECK(of_call == 32);
    CHECK(tokens_of({result}, all_counted{}) == 41);
    CHECK(tokens_of({}, all_counted{}) == 0);
}

TEST_CASE("scripts without spaces and emoji are counted", "[case-161]") {
    counts_every_script<condense::family::gpt>();
    counts_every_script<condense::family::claude>();
    counts_every_script<condense::family::claude_4_7>();
    counts_every_script<condense::family::gemini>();
    counts_every_script<condense::family::kimi>();
    counts_every_script<condense::family::other>();
}

TEST_CASE("a thousand characters of Hangul or Han cost by default what they do", "[case-T100]") {
    condense::default_estimator<> const count;
    for (std::string_view const unit :
         {"\uD55C", "\u6587", "\uD55C\uAD6D\uC5B4\uB85C\uC4F4", "\u8FD9\u662F\u4E2D\u6587",
          "\u9019\u662F\u4E00\u500B\u7E41\u9AD4\u4E2D\u6587"}) {
        auto const text = repeated(unit, 1'000).substr(0, 3'000);
        INFO(unit);
        CHECK(count(text) >= cost::of({600}));
        CHECK(count(text) <= cost::of({1'000}));
    }
}

TEST_CASE("calibration by the newest observations", "[case-158]") {
    auto const rising = observed({4, 4, 4, 4, 4, 5, 5, 5, 6, 6}).ratio();
    CHECK(rising >= 5'423'500);
    CHECK(rising < 5'424'500);
    condense::recency_weighted steady;
    for (int report = 0; report < 20; ++report) steady.add(5'000'000);
    CHECK(steady.ratio() == 4'981'818);
    CHECK(observed({5, 5}).ratio() == 4'000'000);
    condense::recency_weighted odd;
    odd.add(500'000);
    odd.add(30'000'000);
    CHECK(odd.reports[0] == 2'000'000);
    CHECK(odd.reports[1] == 8'000'000);
    for (int report = 2; report < 201; ++report) odd.add(4'000'000);
    CHECK(odd.size() == 200);
}

TEST_CASE("cumulative usage tells what each report adds", "[case-159]") {
    condense::cumulative_usage totals;
    CHECK(totals.next(100_tokens) == 100_tokens);
    CHECK(totals.next(100_tokens) == 100_tokens);
    CHECK(totals.next(250_tokens) == 150_tokens);
    CHECK_FALSE(totals.next(40_tokens));
}

TEST_CASE("an unknown model has the documented default window", "[case-180]") {
    for (std::string_view const name :
         {"", "gpt", "claude", "claude-opus", "gpt-4o-audio-of-mine", "gemini-2", "no such model"}) {
        auto const found = find_model(name);
        CAPTURE(name);
        CHECK_FALSE(found.known());
        CHECK(found.facts.window == 128'000_tokens);
        CHECK(budget_for(found).window == condense::default_window);
    }
    CHECK(find_model("claude-sonnet-4-5-20250929").facts.window == 200'000_tokens);
    CHECK(find_model("claude-opus-4-5-20251101").facts.window == 200'000_tokens);
    CHECK(find_model("gpt-4o").facts.window == 128'000_tokens);
    CHECK(find_model("gpt-4-turbo").facts.window == 128'000_tokens);
    CHECK(find_model("gemini-1.5-pro").facts.window == 1'000'000_tokens);
    CHECK(find_model("gemini-2.5-flash").facts.window >= 1'000'000_tokens);
}
