// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>

#include <condense/core/pipeline.hpp>
#include <condense/core/store.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/shorten/first_of.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/json_sample.hpp>
#include <condense/shorten/old_reasoning.hpp>

// Five layers, each for what the one before it leaves: store, sample, window, summary, escalation, with both
// ends preserved: presets::cascade(journal, store, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// C1: what could not be stored.
inline constexpr auto cascade_cap =
    compress{.when = always,
             .protect = nothing,
             .over = chars{30'000},
             .with = head_tail{.head = chars{15'000}, .tail = chars{15'000}, .at_most = chars{30'000}}};

/// Rows C1, C3 to C8, C11, C12. For a model that has no use of reasoning, as `find_model(name).facts.reasoning` says,
/// all but that of the open round goes with the first reduction; earlier would cost the prompt cache. Results are
/// sampled from 65 % of the tokens, and from 70 % of the messages that the window lets through, by which the zones of
/// that layer count. Retrieval tools belong into `protect` of a mix of your own.
template <journal Journal, class Store, class Model>
auto cascade(Journal to, Store into, Model model, reasoning_use reasoning = reasoning_use::unknown) {
    using namespace literals;
    auto const zones = at_most(50_pct, task | first(1_messages) | last(8_messages) | last(15_pct));  // C4
    auto const kept = zones | unanswered;
    return pipeline{
        record{.to = to},
        offload{
            .over = 10'000_chars, .preview = head_tail{.head = 2'000_chars, .tail = 2'000_chars}, .into = into},  // C1
        cascade_cap,
        compress{
            .when = relaxed(used >= 65_pct, 10_pct),
            .until = used <= 10_pct,
            .protect = nothing,  // C12: all of it
            .with = old_reasoning{.keep = reasoning == reasoning_use::none ? messages{} : messages{detail::u64_limit}}},
        compress{.when = relaxed(used >= 65_pct, 10_pct) || used >= (70_pct).of(100_messages),
                 .protect = zones,
                 .over = 10'000_chars,  // C3, C8, C11
                 .with = first_of(json_sample{.keys = 3, .items = 3, .value = 100_chars}, head{.keep = 8'000_chars}),
                 .words = {.type_and_share = true}},
        sliding_window{
            .when = used > 100_messages, .until = used <= 90_messages, .protect = kept, .least = 3_messages},  // C5
        summarize{.when = used >= 80_pct,
                  .until = used <= 56_pct,
                  .protect = kept,
                  .with = model},  // C6: the oldest 30 % of these
        escalate{.when = used >= 90_pct, .passes = 2, .within = std::chrono::seconds{30}, .ceiling = 98_pct}};  // C7
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
