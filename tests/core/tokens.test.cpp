// SPDX-License-Identifier: BSL-1.0
#include <condense/core/estimator.hpp>

#include <memory>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::part_view;
using condense::role;

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
static_assert(frames_are_optional());

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
static_assert(a_name_is_asked_for_where_it_counts());

constexpr bool a_part_costs_its_text_and_frame() {
    using condense::detail::part_cost;
    return part_cost(framed{}, {.text = "abc", .call = "id"}) == cost{23} &&
           part_cost(lambda, {.text = "abc"}) == cost{6} &&
           // Its own figure stands in place of the text's, not of the frame's.
           part_cost(framed{}, {.text = "abc", .call = "id", .cost = cost{1'000}}) == cost{1'020} &&
           part_cost(plain{}, {.text = "abc", .cost = cost{}}) == cost{};
}
static_assert(a_part_costs_its_text_and_frame());

}  // namespace

TEST_CASE("tokens: what parts and messages cost") {
    CHECK(frames_are_optional());
    CHECK(a_part_costs_its_text_and_frame());
}
