// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/pipeline.hpp>
#include <condense/core/store.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/plan.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/plan/rule_planner.hpp>
#include <condense/policy/trigger.hpp>

// For conversations of questions about much material, such as research: each question gets the tool results that it
// needs: presets::planned(journal, store).

namespace condense {
inline namespace v1 {
namespace presets {

/// With each question the results hold at most half of the window: whole, as the passages that answer it, or as a line
/// with their reference, and what an earlier question has put aside comes back. At 80 % the oldest messages go, down to
/// half, so that results have room again.
/// `with` is the planner, such as model_planner{client}; `summaries` writes what it wants summarised. Recoverable.
/// It changes earlier messages with each question, so that a prompt cache holds little: for agents that work on one
/// task over many rounds `recommended` is cheaper.
template <journal Journal, class Store, planner Planner = rule_planner, class Summarizer = no_summaries>
auto planned(Journal to, Store into, Planner with = {}, Summarizer summaries = {}) {
    using namespace literals;
    return pipeline{record{.to = to}, plan{.with = with, .summaries = summaries, .into = into},
                    sliding_window{.when = used >= 80_pct, .until = for_session(used <= 50_pct)},
                    escalate{.when = used >= 90_pct}};
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
