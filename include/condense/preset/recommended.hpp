// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/fallback.hpp>
#include <condense/core/store.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/policy/by_content.hpp>
#include <condense/policy/duplicate_results.hpp>
#include <condense/policy/first_of.hpp>
#include <condense/policy/head_tail.hpp>
#include <condense/policy/old_reasoning.hpp>
#include <condense/policy/relaxed.hpp>
#include <condense/policy/shorten_arguments.hpp>
#include <condense/policy/superseded_reads.hpp>

// What to begin with: cheap and reversible first, with an eye on the prompt cache, the model's summary last:
// presets::recommended(journal, store, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// Rows X6 and X11: the figures come from replaying recorded conversations.
template <journal Journal, artifact_store Store, summarizer Model>
auto recommended(Journal to, Store into, Model model) {
    using namespace literals;
    auto const recent = task | last(8_messages);
    auto const tail = task | last(20_pct);
    return pipeline{
        record{.to = to},
        offload{.protect = tools("read_artifact"), .over = 10'000_chars, .into = into},
        compress{.when = relaxed(used >= 60_pct, 15_pct), .protect = recent,
                 .with = first_of(superseded_reads{}, duplicate_results{}, old_reasoning{}, shorten_arguments{})},
        compress{.when = relaxed(used >= 70_pct, 10_pct), .protect = recent, .over = 2'000_chars, .with = by_content{}},
        fallback{summarize{.when = used >= 85_pct, .protect = tail, .with = model}, summarize{.when = used >= 85_pct, .protect = tail}},
        sliding_window{.when = used >= 92_pct},
        escalate{.when = used >= 92_pct}};
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
