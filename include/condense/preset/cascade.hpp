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
#include <condense/shorten/shorten_arguments.hpp>

// Five layers, each for what the one before it leaves: store, sample, window, summary, escalation. Both ends of the
// conversation are preserved: presets::cascade(journal, store, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// The cap on text that could not be stored: 30,000 characters, at most 45 % of the input, both ends kept.
inline constexpr auto cascade_cap = compress{.when = always,
                                             .protect = nothing,
                                             .over = chars{30'000} && percent{4'500},
                                             .with = head_tail{.head = chars{15'000} && percent{2'000},
                                                               .tail = chars{15'000} && percent{2'000},
                                                               .at_most = chars{30'000} && percent{4'500}},
                                             .label = "compress: cap"};

/// Results over 10,000 characters, or over 15 % of the input where that is less, are stored on arrival. From 65 % of
/// the tokens, or 70 % of the window of 100 messages, long results are sampled, and old reasoning is removed if
/// `reasoning` says that the model has no use of it (see `find_model(name).facts.reasoning`); earlier would cost the
/// prompt cache. Above 100 messages the oldest are dropped to 90, from 80 % of the tokens they are summarised, and from
/// 90 % all of it runs under pressure. While the cache is active, 75 % take the place of 65 %.
///
/// Recoverable: the journal holds what is dropped. Asks the model for summaries only. To protect a tool that reads
/// artifacts, copy the pipeline and put the tool into `protect`.
template <journal Journal, class Store, class Model>
auto cascade(Journal to, Store into, Model model, reasoning_use reasoning = reasoning_use::unknown) {
    using namespace literals;
    auto const zones = at_most(50_pct, task | first(1_messages) | last(8_messages) | last(15_pct));
    auto const bound = zones | unanswered;
    return pipeline{
        record{.to = to},
        offload{.over = 10'000_chars && 15_pct,
                .preview = head_tail{.head = 2'000_chars && 3_pct, .tail = 2'000_chars && 3_pct},
                .into = into},
        cascade_cap,
        compress{
            .when = relaxed(used >= 65_pct, 10_pct),
            .until = used <= 10_pct,
            .protect = nothing_t{},  // a model that ignores reasoning ignores all of it
            .with = old_reasoning{.keep = reasoning == reasoning_use::none ? messages{} : messages{detail::u64_limit},
                                  .wanted = reasoning_wanted::open_round},
            .label = "compress: reasoning"},
        compress{.when = relaxed(used >= 65_pct, 10_pct) || used >= (70_pct).of(100_messages),
                 .protect = zones,
                 .over = 10'000_chars,
                 .with = first_of(json_sample{.keys = 3, .items = 3, .value = 100_chars}, head{.keep = 8'000_chars}),
                 .words = {.type_and_share = true},
                 .label = "compress: samples"},
        sliding_window{
            .when = used > 100_messages, .until = used <= 90_messages, .protect = bound, .least = 3_messages},
        summarize{.when = used >= 80_pct,
                  .until = for_session(used <= 56_pct),
                  .protect = bound,
                  .with = model},  // from 80 % down to 56 %: the oldest 30 % of the messages
        compress{.when = never, .with = shorten_arguments<>{}, .label = "compress: arguments"},
        escalate{.when = used >= 90_pct, .passes = 2, .within = std::chrono::seconds{30}, .ceiling = 98_pct}};
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
