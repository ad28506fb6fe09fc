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
#include <condense/shorten/head_tail.hpp>

// Output is cut right after the tool ran; at 70 % all but the last ten messages becomes one short summary:
// presets::coding_agent(journal, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// D1.
inline constexpr auto coding_agent_cut =
    compress{.when = always,
             .protect = nothing,
             .over = lines{256} && bytes{10'240},
             .with = head_tail{.head = lines{128}, .tail = lines{128}, .at_most = bytes{10'240}}};

/// Rows D1, D3, D4, D6; of the budget 10 % belong to the output.
template <journal Journal, summarizer Model>
auto coding_agent(Journal to, Model model) {
    using namespace literals;
    auto const recent = task | last(10_messages) | unanswered;
    return pipeline{
        record{.to = to},  // D6
        coding_agent_cut,
        fallback{
            summarize{.when = used >= 70_pct,
                      .until = used <= 7_pct,
                      .protect = recent,  // D3: about a tenth
                      .asks_for = "Write two or three sentences: what the user wants, what was done, and what is open.",
                      .with = model},
            summarize{.when = used >= 70_pct, .until = used <= 7_pct, .protect = recent}},
        sliding_window{.when = used >= 90_pct, .protect = recent},
        escalate{.when = used >= 90_pct, .ceiling = 95_pct}};  // D4
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
