// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

// A pipeline of seven layers, for comparisons with the same written by hand.

namespace mixes {

/// Cheap and reversible layers first: large results are stored, what is needless goes, results are cut by what they
/// look like, and then the oldest messages are summarised.
template <class Journal, class Store, class Model>
auto folding(Journal to, Store into, Model model) {
    using namespace condense;
    using namespace condense::literals;
    auto const recent = task | last(8_messages);
    auto const tail = task | last(15_pct) | unanswered;
    auto const due = relaxed(used >= 90_pct, 4_pct);
    auto const rest = used <= 25_pct;
    auto const ends = head_tail{.head = 250_chars, .tail = 250_chars};
    return pipeline{
        record{.to = to},
        offload{.protect = tools("read_artifact"), .over = 10'000_chars, .into = into},
        compress{.when = due,
                 .until = rest,
                 .protect = recent,
                 .with = first_of(superseded_reads{}, duplicate_results{}, old_reasoning{.keep = 1_messages},
                                  shorten_arguments{})},
        compress{.when = due,
                 .until = rest,
                 .protect = recent,
                 .over = 500_chars,
                 .with = by_content{.diff = ends, .search_hits = ends, .code = ends, .prose = ends, .binary = ends}},
        fallback{summarize{.when = used >= 95_pct, .until = rest, .protect = tail, .with = model},
                 summarize{.when = used >= 95_pct, .until = rest, .protect = tail}},
        sliding_window{.when = used >= 98_pct, .protect = task | unanswered},
        escalate{.when = used >= 98_pct}};
}

}  // namespace mixes
