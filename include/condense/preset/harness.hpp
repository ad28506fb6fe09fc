// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/pipeline.hpp>
#include <condense/core/store.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/policy/worth.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/shorten_arguments.hpp>

// Keeps the last ten messages and a summary of the others, after long arguments and old results were cut without a
// model: presets::harness(journal, store, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// Tools that page their output themselves, so that a preview would hide what the model asked for. A shell does not.
inline constexpr auto harness_exempt =
    tools("read_file", "write_file", "edit_file", "grep_files", "glob_files", "list_files", "memory_*", "session_*");

/// Results over 80,000 characters, or over 25 % of the input where that is less, are stored on arrival. At 30 messages
/// or 84 % of the window (108,000 of 128,000) string arguments over 2,000 characters are cut, and everything but the
/// task and the last ten messages is summarised. From 60,000 tokens on old results are cut, all in one run, if that
/// saves 19,000 tokens: less would not pay for the lost prompt cache. The newest 40,000 tokens stay. Recoverable; asks
/// the model for summaries only.
template <journal Journal, class Store, class Model>
auto harness(Journal to, Store into, Model model) {
    using namespace literals;
    auto const due = used >= 30_messages || used >= 84_pct;
    return pipeline{record{.to = to},
                    offload{.protect = harness_exempt,
                            .over = 80'000_chars && 25_pct,
                            .preview = head_tail{.head = 2'000_chars && 3_pct, .tail = 2'000_chars && 3_pct},
                            .into = into},
                    compress{.when = due,
                             .protect = task | last(10_messages),
                             .with = shorten_arguments{.over = 2'000_chars},
                             .label = "compress: arguments"},
                    compress{.when = used >= 60'000_tokens,
                             .protect = task | covering(40'000_tokens),
                             .worth = at_least(19'000_tokens),  // 20,000 of results, less their remaining ends
                             .over = 2'000_chars,
                             .with = head_tail{.head = 1'000_chars, .tail = 1'000_chars},
                             .label = "compress: results"},
                    summarize{.when = due,
                              .until = for_session(used <= 12_messages && used <= 42_pct),
                              .protect = task | last(10_messages) | unanswered,
                              .with = model},
                    sliding_window{.when = used >= 95_pct,
                                   .protect = task | last(10_messages) | unanswered},  // if the summary does not help
                    escalate{.when = used >= 95_pct}};
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
