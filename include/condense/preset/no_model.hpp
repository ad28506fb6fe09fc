// SPDX-License-Identifier: BSL-1.0
#pragma once

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

// Never calls a model, loses nothing that a journal does not hold, gives the same bytes for the same input:
// presets::no_model(journal, store).

namespace condense {
inline namespace v1 {
namespace presets {

/// The layers of `recommended` with its figures, but for the model.
template <journal Journal, artifact_store Store>
auto no_model(Journal to, Store into) {
    using namespace literals;
    auto const recent = task | last(8_messages);
    auto const due = relaxed(used >= 90_pct, 4_pct);
    auto const rest = used <= 25_pct;
    return pipeline{
        record{.to = to},
        offload{.protect = tools("read_artifact"), .over = 10'000_chars, .into = into},
        compress{.when = due, .until = rest, .protect = recent,
                 .with = first_of(superseded_reads{}, duplicate_results{}, old_reasoning{}, shorten_arguments{})},
        compress{.when = due, .until = rest, .protect = recent, .over = 500_chars, .with = by_content{}},
        summarize{.when = used >= 95_pct, .until = rest, .protect = task | last(15_pct)},
        sliding_window{.when = used >= 98_pct},
        escalate{.when = used >= 98_pct}};
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
