// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/pipeline.hpp>
#include <condense/core/store.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/fallback.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/shorten_arguments.hpp>

// Output is cut right after the tool ran; at 70 % all but the last ten messages become one short summary:
// presets::coding_agent(journal, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// Leaves the first and last 128 lines, 10 KiB at most, of a result over 256 lines or 10 KiB.
inline constexpr auto coding_agent_cut =
    compress{.when = always,
             .protect = nothing,
             .over = lines{256} && bytes{10'240},
             .with = head_tail{.head = lines{128}, .tail = lines{128}, .at_most = bytes{10'240}}};

/// For short sessions with much tool output, without a store: what is cut is in the journal alone. The summary comes
/// from the model, or by rule if the model fails. Where that does not help, the oldest messages are dropped from 90 %,
/// and above 95 % the outcome is `exhausted`. Meant for a budget that reserves 10 % for the output.
template <journal Journal, summarizer Model>
auto coding_agent(Journal to, Model model) {
    using namespace literals;
    auto const recent = task | last(10_messages) | unanswered;
    return pipeline{
        record{.to = to},  // on arrival, before anything is cut
        coding_agent_cut,
        fallback{
            summarize{.when = used >= 70_pct,
                      .until = used <= 7_pct,
                      .protect = recent,
                      .asks_for = three_sentences,
                      .with = model,
                      .label = "summarize: model"},
            summarize{.when = used >= 70_pct, .until = used <= 7_pct, .protect = recent, .label = "summarize: rule"}},
        sliding_window{.when = used >= 90_pct, .protect = recent},
        compress{.when = never, .with = shorten_arguments<>{}, .label = "compress: arguments"},
        escalate{.when = used >= 90_pct, .ceiling = 95_pct}};  // the hard stop
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
