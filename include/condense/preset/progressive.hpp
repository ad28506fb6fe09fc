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
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/point_to_file.hpp>

// Each stage later and harder than the one before it: large results are stored as they come, what was written
// into files becomes a pointer, then the conversation is summarised: presets::progressive(journal, store, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// Rows V1 to V5. Retrieval tools belong into `protect` of a mix of your own.
template <journal Journal, class Store, class Model>
auto progressive(Journal to, Store into, Model model) {
    using namespace literals;
    auto const tail = last(20_pct) | unanswered;
    return pipeline{
        record{.to = to},  // V4
        offload{.over = 20'000_tokens, .preview = head{.keep = 10_lines && 4'096_bytes}, .into = into},  // V1
        compress{.when = used >= 85_pct,
                 .until = used <= 10_pct,  // V2: all of them
                 .with = point_to_file{.tools = tools("write_file", "edit_file"),
                                       .keys = {"content", "new_text"},
                                       .preview = 100_chars,
                                       .result = 500_chars}},
        fallback{summarize{.when = used >= 95_pct, .until = used <= 30_pct, .protect = tail, .with = model},  // V3
                 summarize{.when = used >= 95_pct, .until = used <= 30_pct, .protect = tail}},                // V5
        sliding_window{.when = used >= 98_pct, .protect = tail},  // where neither helps
        escalate{.when = used >= 98_pct}};
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
