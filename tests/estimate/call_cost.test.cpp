// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/call_cost.hpp>

#include <condense/core/reduce.hpp>
#include <condense/estimate/message_cost.hpp>
#include <condense/estimate/script_aware.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::call_cost, condense::cost, condense::part_kind, condense::part_view, condense::script_aware;

using plain = script_aware<condense::family::other>;
static_assert(condense::token_estimator<call_cost<plain>> && call_cost<plain>::deterministic);

constexpr part_view call{.kind = part_kind::tool_call, .text = "{}", .tool = "read", .call = "call_8f14e45fceea167a"};
constexpr part_view result{.kind = part_kind::tool_result, .text = "done", .call = "call_8f14e45fceea167a"};
constexpr part_view text{.kind = part_kind::text, .text = "done"};

constexpr bool ids_count_where_asked_for() {
    plain const count;
    call_cost const without{count, {}};
    call_cost const with{count, {.ids = true}};
    return without.frame(call) == count("read") && without.frame(result) == cost{} &&
           with.frame(call) == count.frame(call) && with.frame(result) == count.frame(result) &&
           with.frame(result) == count(result.call) && count(result.call) > cost::of({4});
}

constexpr bool calls_and_results_have_frames_of_their_own() {
    plain const count;
    call_cost const framed{count, {.per_call = 43_tokens, .per_result = 11_tokens}};
    return framed.frame(call) == count("read") + cost::of({43}) && framed.frame(result) == cost::of({11}) &&
           framed.frame(text) == count.frame(text) && framed("done") == count("done") &&
           framed.frame(condense::role::user) == count.frame(condense::role::user);
}

/// An estimator that counts names.
struct naming {
    constexpr cost operator()(std::string_view given) const { return cost::of({given.size()}); }
    constexpr cost frame(condense::role, std::string_view name) const { return cost::of({3 + name.size()}); }
};

constexpr bool names_and_other_adaptors_are_kept() {
    call_cost const named{naming{}, {}};
    call_cost const changed{condense::message_cost{plain{}, 50_tokens}, {.per_result = 5_tokens}};
    return named.frame(condense::role::user, "eve") == cost::of({6}) &&
           changed.frame(condense::role::tool) == cost::of({50}) && changed.frame(result) == cost::of({5});
}

}  // namespace

TEST_CASE("call_cost: ids and frames of calls as they are given", "[estimate]") {
    CHECK_TWICE(ids_count_where_asked_for());
    CHECK_TWICE(calls_and_results_have_frames_of_their_own());
    CHECK_TWICE(names_and_other_adaptors_are_kept());
}
