// SPDX-License-Identifier: BSL-1.0
#include <condense/core/estimator.hpp>

#include <memory>

#include "core/constant.hpp"

namespace {

using condense::cost, condense::request_count;

struct counts {
    constexpr cost operator()(std::string_view text) const { return cost::of({text.size()}); }
};
struct halves : counts {
    constexpr cost corrected(request_count const& sum) const noexcept {
        return {sum.counted.steps / 2 + sum.overhead.steps};
    }
    constexpr void observe(request_count const&, condense::tokens) noexcept {}
};
struct may_throw : counts {
    constexpr cost corrected(request_count const& sum) const { return sum.counted; }
    constexpr void observe(request_count const&, condense::tokens) {}
};
static_assert(condense::learning_estimator<halves> && !condense::learning_estimator<counts> &&
              !condense::learning_estimator<may_throw>);

constexpr bool only_who_learns_corrects() {
    request_count const sum{.counted = cost::of({100}), .overhead = cost::of({7})};
    return condense::detail::corrected(counts{}, sum) == cost::of({107}) &&
           condense::detail::corrected(halves{}, sum) == cost::of({57}) &&
           request_count{.counted = {~std::uint64_t{0}}, .overhead = {5}}.total().steps == ~std::uint64_t{0};
}

TEST_CASE("request_count: corrected where the estimator learns") { CHECK_CONSTANT(only_who_learns_corrects()); }

using condense::part_view, condense::role;

struct plain {
    constexpr cost operator()(std::string_view text) const { return {text.size()}; }
};
struct framed : plain {
    constexpr cost frame(role speaker) const { return {speaker == role::tool ? 200u : 100u}; }
    constexpr cost frame(part_view const& part) const { return {part.call.size() * 10}; }
};
struct frames_messages_only : plain {
    constexpr cost frame(role) const { return {100}; }
};
constexpr auto lambda = [](std::string_view text) { return cost{text.size() * 2}; };

static_assert(condense::token_estimator<plain> && condense::token_estimator<framed>);
static_assert(condense::token_estimator<decltype(lambda)>);

struct returns_a_number {
    int operator()(std::string_view) const;
};
struct changes {
    cost operator()(std::string_view);
};
struct cannot_be_copied : plain {
    std::unique_ptr<int> held;
};
static_assert(!condense::token_estimator<returns_a_number> && !condense::token_estimator<changes>);
static_assert(!condense::token_estimator<cannot_be_copied> && !condense::token_estimator<int>);

constexpr bool frames_are_optional() {
    using condense::detail::frame_cost;
    part_view const part{.text = "abc", .call = "id"};
    return frame_cost(plain{}, role::user) == cost{} && frame_cost(plain{}, part) == cost{} &&
           frame_cost(framed{}, role::tool) == cost{200} && frame_cost(framed{}, part) == cost{20} &&
           frame_cost(frames_messages_only{}, role::user) == cost{100} &&
           frame_cost(frames_messages_only{}, part) == cost{};
}

struct counts_authors : plain {
    constexpr cost frame(role, std::string_view name) const { return {100 + name.size()}; }
};

constexpr bool a_name_is_asked_for_where_it_counts() {
    using condense::detail::frame_cost;
    int asked = 0;
    auto const name = [&] { return ++asked, std::string_view{"alice"}; };
    return frame_cost(framed{}, role::tool, name) == cost{200} && frame_cost(plain{}, role::user, name) == cost{} &&
           asked == 0 && frame_cost(counts_authors{}, role::user, name) == cost{105} && asked == 1 &&
           frame_cost(counts_authors{}, role::user) == cost{100};
}

constexpr bool a_part_costs_its_text_and_frame() {
    using condense::detail::part_cost;
    return part_cost(framed{}, {.text = "abc", .call = "id"}) == cost{23} &&
           part_cost(lambda, {.text = "abc"}) == cost{6} &&
           // Its own figure stands in place of the text's, not of the frame's.
           part_cost(framed{}, {.text = "abc", .call = "id", .cost = cost{1'000}}) == cost{1'020} &&
           part_cost(plain{}, {.text = "abc", .cost = cost{}}) == cost{};
}

TEST_CASE("tokens: what parts and messages cost") {
    CHECK_CONSTANT(frames_are_optional());
    CHECK_CONSTANT(a_name_is_asked_for_where_it_counts());
    CHECK_CONSTANT(a_part_costs_its_text_and_frame());
}

}  // namespace
