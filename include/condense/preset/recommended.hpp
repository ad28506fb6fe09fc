// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/pipeline.hpp>
#include <condense/core/store.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/fallback.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/shorten/by_content.hpp>
#include <condense/shorten/duplicate_results.hpp>
#include <condense/shorten/first_of.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/old_reasoning.hpp>
#include <condense/shorten/shorten_arguments.hpp>
#include <condense/shorten/superseded_reads.hpp>

// The pipeline to begin with: cheap and reversible layers first, rare reductions for the sake of the prompt cache, the
// model's summary last: presets::recommended(journal, store, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// The layers of `recommended`, with a layer of your own that summarises. Everything behind a change is sent anew at
/// full price, so reductions are rare, later while the prompt cache is in use, and deep: from 90 % of the window
/// down to 25 %. These figures come from replaying recorded conversations at windows of 8,000 and 32,000 tokens. The
/// newest answer keeps its reasoning, unless the model has no use of it. Recoverable.
template <journal Journal, class Store, class Summary>
auto recommended_with(Journal to, Store into, Summary summary, reasoning_use reasoning = reasoning_use::unknown) {
    using namespace literals;
    auto const recent = task | last(8_messages);
    auto const due = relaxed(used >= 90_pct, 4_pct);
    auto const rest = used <= 25_pct;
    auto const thoughts = old_reasoning{.keep = reasoning == reasoning_use::none ? 0_messages : 1_messages};
    auto const ends = head_tail{.head = 250_chars, .tail = 250_chars};
    return pipeline{
        record{.to = to},
        offload{.protect = tools("read_artifact"), .over = 10'000_chars, .into = into},
        compress{.when = due,
                 .until = rest,
                 .protect = recent,
                 .with = first_of(superseded_reads{}, duplicate_results{}, thoughts, shorten_arguments{})},
        compress{.when = due,
                 .until = rest,
                 .protect = recent,
                 .over = 500_chars,
                 .with = by_content{.diff = ends, .search_hits = ends, .code = ends, .prose = ends, .binary = ends}},
        summary,
        sliding_window{.when = used >= 98_pct, .protect = task | unanswered},
        escalate{.when = used >= 98_pct}};
}

/// The summary is the model's, or by rule if the model fails. `reasoning` is `find_model(name).facts.reasoning`. Leaves
/// the results of the tool `read_artifact` alone.
template <journal Journal, class Store, class Model>
auto recommended(Journal to, Store into, Model model, reasoning_use reasoning = reasoning_use::unknown) {
    using namespace literals;
    auto const tail = task | last(15_pct) | unanswered;
    return recommended_with(
        to, into,
        fallback{summarize{.when = used >= 95_pct, .until = used <= 25_pct, .protect = tail, .with = model},
                 summarize{.when = used >= 95_pct, .until = used <= 25_pct, .protect = tail}},
        reasoning);
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
