// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <condense/core/pipeline.hpp>
#include <condense/core/recovery_names.hpp>
#include <condense/core/store.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/llm/edited_texts.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/llm/user_words.hpp>
#include <condense/llm/work_record.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/shorten/old_reasoning.hpp>
#include <condense/shorten/salient_lines.hpp>
#include <condense/shorten/shorten_arguments.hpp>

// The pipeline to begin with: rare reductions for the sake of the prompt cache, which leave what the user said, what
// was done, and the lines and texts that later turns need: presets::recommended(journal, store, model).

namespace condense {
inline namespace v1 {
namespace presets {

/// The layers of `recommended`, with layers of your own that summarise. A result over half of the window is stored on
/// arrival and leaves its ends and the lines of it that name most. Long arguments of calls are cut only under pressure,
/// where that alone makes room, such as in the open round. Reasoning leaves with its message, or at 80 % if
/// `reasoning` says that the model has no use of it. Recoverable.
template <journal Journal, class Store, class... Summary>
auto recommended_with(Journal to, Store into, reasoning_use reasoning, agent_tools tools, Summary... summary) {
    using namespace literals;
    return pipeline{record{.to = to},
                    offload{.over = 50_pct,
                            .preview = salient_lines{.head = 5_pct, .tail = 5_pct, .at_most = 40_pct},
                            .into = into,
                            .words = tools == agent_tools::recovery ? tool_words : wording{}},
                    compress{.when = reasoning == reasoning_use::none ? used >= 80_pct : never,
                             .until = used <= 2_pct,
                             .protect = nothing_t{},  // of the constant clang 17 crashes in a template
                             .with = old_reasoning{.keep = 0_messages, .wanted = reasoning_wanted::open_round}},
                    summary...,
                    sliding_window{.when = used >= 98_pct, .protect = task | unanswered},
                    compress{.when = never, .with = shorten_arguments<>{}, .label = "compress: arguments"},
                    escalate{.when = used >= 98_pct}};
}

/// The index of `recommended`: the user's words, a record of the work, the texts of the latest edits, and lines with
/// the names that later turns need, in 24 % of what is free together. A function, because clang 19 takes
/// `.leaves = constant` in a template for no index.
constexpr auto recommended_index() {
    return both{
        both{user_words{.share = percent{500}}, work_record{.share = percent{200}}},
        both{edited_texts{.share = percent{200}}, name_index<>{.share = percent{1'500}, .lines = percent{10'000}}}};
}

/// The depth of `recommended`, beside a summary: 22 % of the window, or half of it where that holds 32 turns of the
/// user, as in chats, which grow slowly.
inline constexpr target recommended_depth =
    for_session(used <= percent{2'200} || (used <= percent{5'000} && used >= v1::turns{32}));

/// The summary that `recommended` makes by rule.
inline auto recommended_summary(std::string_view source_hint = {}) {
    using namespace literals;
    return summarize{.when = relaxed(used >= 90_pct, 2_pct),
                     .until = recommended_depth,
                     .protect = task | unanswered,
                     .size = 1_tokens,
                     .with = no_prose{},
                     .leaves = recommended_index(),
                     .source_hint = source_hint,
                     .label = "summarize: rule"};
}

/// From 90 % of the window, or 92 % while the prompt cache is in use, the oldest messages become one summary, until 22
/// % of the window is left beside it, or half of the window if that holds 32 turns of the user: the task, what no
/// answer has followed, and the newest groups stay as they were said. The summary has the user's words, what was
/// decided and done, files read and written, what failed and what is open, texts of the latest edits, and lines with
/// the names that later turns need. One call of `reduce` stops at 65 %. The model writes before it only when it is told
/// to, by `session.run(force{})`, or under pressure: with a call for each reduction sessions cost 48 % more at a window
/// of 8,000 tokens, and 25 % more at 32,000, and show later turns as much. `reasoning` is
/// `find_model(name).facts.reasoning`. The figures come from replaying recorded conversations at windows of 8,000 and
/// 32,000 tokens.
template <journal Journal, class Store, class Model>
auto recommended(Journal to, Store into, Model model, reasoning_use reasoning = reasoning_use::unknown,
                 agent_tools tools = agent_tools::none) {
    using namespace literals;
    auto const source_hint = tools == agent_tools::recovery ? tool_sentence : std::string_view{};
    auto const by_model = summarize{.when = never,
                                    .until = recommended_depth,
                                    .protect = task | unanswered,
                                    .with = model,
                                    .leaves = recommended_index(),
                                    .source_hint = source_hint,
                                    .label = "summarize: model"};
    return recommended_with(to, into, reasoning, tools, by_model, recommended_summary(source_hint));
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
