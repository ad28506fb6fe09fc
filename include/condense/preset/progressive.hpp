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

// Each stage acts later and removes more than the one before it: large results are stored on arrival, text written into
// files becomes a pointer, then the conversation is summarised: presets::progressive(journal, store, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// Results over 20,000 tokens are stored on arrival and leave ten lines. From 85 % the texts of all file-writing calls
/// become pointers, because the files hold them. From 95 % everything but the task and the newest 20 % is summarised,
/// by the model or, if it fails, by rule. For agents that write files; late stages suit windows that are seldom full.
/// Recoverable. To protect a tool that reads artifacts, copy the pipeline and put the tool into `protect`.
template <journal Journal, class Store, class Model>
auto progressive(Journal to, Store into, Model model) {
    using namespace literals;
    auto const tail = task | last(20_pct) | unanswered;
    return pipeline{
        record{.to = to},  // on arrival, before anything is removed
        offload{.over = 20'000_tokens,
                .preview = head{.keep = 10_lines && 4'096_bytes},  // bytes, too: a result may be one long line
                .into = into},
        compress{.when = used >= 85_pct,
                 .until = used <= 10_pct,  // in effect all of them
                 .with = point_to_file{.tools = tools("write_file", "edit_file"),
                                       .keys = {"content", "new_text"},
                                       .preview = 100_chars,
                                       .result = 500_chars}},
        fallback{summarize{.when = used >= 95_pct,
                           .until = for_session(used <= 30_pct),
                           .protect = tail,
                           .with = model,
                           .label = "summarize: model"},
                 summarize{.when = used >= 95_pct,
                           .until = for_session(used <= 30_pct),
                           .protect = tail,
                           .label = "summarize: rule"}},  // if the model fails
        sliding_window{.when = used >= 98_pct, .protect = tail},  // if neither summary helps
        escalate{.when = used >= 98_pct}};
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
