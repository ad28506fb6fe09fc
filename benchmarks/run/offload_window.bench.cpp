// SPDX-License-Identifier: BSL-1.0

// Claim: storing large results and then a window cost at most 1.10 times the instructions of the same written by hand
// (the goal is 1.02) where the counts are kept, at most 1.20 times in one call on a history, and at most three
// allocations more. Kept, results are stored when they come, which is not counted.
// overhead.py counts; ./bench_run_offload_window 1000 due

#include <condense/store/memory.hpp>

#include "by_hand/offload_window.hpp"
#include "overhead.hpp"

int main(int count, char** arguments) {
    using namespace condense::literals;
    condense::memory_store const store;
    condense::memory_store const other;
    condense::pipeline const mix{condense::offload{.into = store},
                                 condense::sliding_window{.when = condense::used >= 90_pct, .until = condense::used <= 50_pct}};
    return overhead::compare(
        count, arguments, mix, [&](auto limits) { return by_hand::offloaded<condense::memory_store>{limits, other}; },
        [&](auto& history, auto limits) { return by_hand::offload_window_once(history, limits, other); }, 25);
}
