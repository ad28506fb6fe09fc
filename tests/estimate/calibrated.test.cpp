// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/calibrated.hpp>

#include <type_traits>

#include <condense/estimate/char_ratio.hpp>
#include <condense/estimate/recency_weighted.hpp>

#include "support/catch.hpp"

namespace {

using condense::calibrated, condense::cost, condense::log_ratio, condense::recency_weighted;
using claude = condense::char_ratio<condense::family::claude>;

static_assert(condense::learning_estimator<calibrated<claude>> &&
              condense::learning_estimator<calibrated<claude, recency_weighted>>);
static_assert(!condense::learning_estimator<claude> && condense::token_estimator<calibrated<claude>>);
static_assert(calibrated<claude>::deterministic);

/// Without frames, a model's name or saving.
struct bytes_only {
    constexpr cost operator()(std::string_view text) const { return cost::of({text.size()}); }
};
struct twice {
    constexpr cost corrected(condense::request_count const& sum) const noexcept { return sum.total() + sum.total(); }
    constexpr void observe(condense::request_count const&, condense::tokens) noexcept {}
};
static_assert(!calibrated<bytes_only, twice>::deterministic);
template <class Learns>
concept has_all = requires(Learns& some) { some.use_model("x"), some.save(), some.load("x"); };
template <class Learns>
concept has_some = requires(Learns& some) { some.use_model("x"); } || requires(Learns& some) { some.save(); } ||
                   requires(Learns& some) { some.load("x"); };
static_assert(has_all<calibrated<claude>> && has_all<calibrated<claude, recency_weighted>> &&
              !has_some<calibrated<bytes_only, twice>>);

constexpr bool texts_count_as_ever_and_sums_are_corrected() {
    calibrated learns{.count = claude{}, .rule = log_ratio{}};
    calibrated const plain{bytes_only{}, twice{}};
    condense::request_count const sum{.counted = cost::of({40'000}), .messages = 30};
    for (int turn = 0; turn < 50; ++turn) learns.observe(sum, {60'000});
    condense::part_view const call{.kind = condense::part_kind::tool_call, .tool = "read_file", .call = "call_1"};
    return learns("some text") == claude{}("some text") &&
           learns.frame(condense::role::user) == claude{}.frame(condense::role::user) &&
           learns.frame(call) == claude{}.frame(call) && learns.corrected(sum) > cost::of({59'000}) &&
           plain("ab") == cost::of({2}) && plain.frame(condense::role::user) == cost{} &&
           plain.corrected(sum) == cost::of({80'000});
}

}  // namespace

TEST_CASE("calibrated: an estimator with a rule") {
    CHECK_TWICE(texts_count_as_ever_and_sums_are_corrected());
    calibrated learns{claude{}};
    static_assert(std::is_same_v<decltype(learns), calibrated<claude, log_ratio>>);
    learns.use_model("claude-opus-4-7");
    learns.observe({.counted = cost::of({40'000}), .messages = 30}, {50'000});
    calibrated<claude> back;
    CHECK(back.load(learns.save()));
    CHECK(back == learns);
    CHECK_FALSE(back.load("nothing"));
}
