// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <exception>
#include <utility>

#include <condense/core/pass.hpp>
#include <condense/plan/artifact.hpp>
#include <condense/plan/asking.hpp>

// What a planner is: any callable from a plan_request to an artifact_plan.

namespace condense {
inline namespace v1 {

/// `planner(request)`, or `planner(request, ask)` for one that asks a model: `ask(model, prompt, limits)` calls it as
/// the run allows. One that asks declares `static constexpr bool asks_model = true`. Its plan need not be right.
template <class Planner>
concept planner = requires(Planner const& plans, plan_request const& request) {
    { plans(request) } -> std::same_as<artifact_plan>;
} || requires(Planner const& plans, plan_request const& request, direct_calls<>& ask) {
    { plans(request, ask) } -> std::same_as<artifact_plan>;
};

namespace detail {

template <class Planner>
concept planner_asks = requires { requires Planner::asks_model; };

/// The plan; where the planner throws, the reason why there is none. A cancellation passes through.
template <class Planner, class Calls, class Stop>
artifact_plan plan_with(Planner const& plans, plan_request const& request, Calls& calls,
                        [[maybe_unused]] Stop const& stop) {
    auto const call = [&] {
        if constexpr (requires { plans(request, calls); }) return plans(request, calls);
        else return plans(request);
    };
#if defined(__cpp_exceptions)
    try {
        return call();
    } catch (cancelled const&) { throw; } catch (std::exception const& problem) {
        if (stop.stop_requested() || wraps_cancellation(problem)) throw;
        return {.problem = *problem.what() != '\0' ? problem.what() : "the planner threw"};
    } catch (...) {
        if (stop.stop_requested()) throw;
        return {.problem = "the planner threw"};
    }
#else
    return call();
#endif
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
