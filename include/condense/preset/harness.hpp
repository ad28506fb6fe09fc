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

// Keeps the last ten messages and a summary of the others, after long arguments and old results have been cut
// without a model: presets::harness(journal, store, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// A2: tools that page themselves; a shell is not among them.
inline constexpr auto harness_exempt =
    tools("read_file", "write_file", "edit_file", "grep_files", "glob_files", "list_files", "memory_*", "session_*");

/// Rows A1, A2, A4, A6, A11; the forced reduction of A3 is the session's, which presses on these layers. Where
/// a provider's window is large, the summary waits for 30 messages or 84 % (108,000 of 128,000).
template <journal Journal, class Store, class Model>
auto harness(Journal to, Store into, Model model) {
    using namespace literals;
    auto const due = used >= 30_messages || used >= 84_pct;
    return pipeline{
        record{.to = to},  // A6
        offload{.protect = harness_exempt,
                .over = 80'000_chars,  // A2
                .preview = head_tail{.head = 2'000_chars, .tail = 2'000_chars},
                .into = into},
        compress{
            .when = due, .protect = task | last(10_messages), .with = shorten_arguments{.over = 2'000_chars}},  // A4
        compress{.when = used >= 60'000_tokens,
                 .protect = task | covering(40'000_tokens),
                 .worth = at_least(19'000_tokens),  // A11: 20,000 of results, less what is left of them
                 .over = 2'000_chars,
                 .with = head_tail{.head = 1'000_chars, .tail = 1'000_chars}},
        summarize{.when = due,
                  .until = used <= 11_messages && used <= 42_pct,
                  .protect = last(10_messages) | unanswered,
                  .with = model},  // A1
        sliding_window{.when = used >= 95_pct,
                       .protect = last(10_messages) | unanswered},  // where the model does not help
        escalate{.when = used >= 95_pct}};
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
