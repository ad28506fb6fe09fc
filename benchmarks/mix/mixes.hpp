// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include <condense/condense.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/llm/work_record.hpp>
#include <condense/presets.hpp>
#include <condense/replay/mix.hpp>
#include <condense/shorteners.hpp>

// The mixes that `replay` compares: a line each. A mix of your own is one line more; `edges` has a journal, a store
// and a model, new for each conversation.

namespace replay {

using namespace condense;
using namespace condense::literals;

/// Keeps nothing: for mixes that lose what they cut, which open rounds are spared unless a journal comes before.
struct no_journal {
    static constexpr bool durable = false;

    static constexpr reference name(std::string_view) noexcept { return {}; }
    static constexpr store_error append(std::string_view, journal_entry const&, std::string_view) noexcept {
        return {};
    }
    static constexpr store_error flush(std::string_view) noexcept { return {}; }
    static constexpr store_error read(std::string_view, auto&&) noexcept { return {}; }
};

/// Stands in place of a result that the provider has cleared.
struct cleared {
    static constexpr auto applies_to = part_kind::tool_result;
    std::optional<std::string> operator()(part_view const&, cut) const { return "[cleared]"; }
};

inline auto const mixes = std::tuple{
    // What is written without a library: nothing, the oldest messages gone as soon as it does not fit, and every
    // result cut when it comes.
    named{"none", pipeline{}},
    named{"drop_oldest",
          pipeline{sliding_window{.when = used > 100_pct, .until = used <= 100_pct, .protect = nothing}}},
    named{
        "truncate",
        pipeline{record{.to = no_journal{}},
                 compress{.when = always, .protect = nothing, .over = 2'000_chars, .with = head{.keep = 2'000_chars}}}},
    // Plain dropping to two depths, and the bound for a summary by rule that is as deep as the first: an oracle writes
    // it, which knows what later answers need.
    named{"drop_50", pipeline{sliding_window{.when = used >= 90_pct, .until = used <= 50_pct}}},
    named{"drop_35", pipeline{sliding_window{.when = used >= 90_pct, .until = used <= 35_pct}}},
    named{"oracle",
          [](auto& edges) {
              return pipeline{
                  summarize{
                      .when = used >= 90_pct, .until = used <= 50_pct, .size = 100'000_tokens, .with = edges.oracle},
                  sliding_window{.when = used >= 90_pct}};
          }},
    // One summary asked in two ways: by a prompt of its own, and behind the agent's request, which the provider has in
    // its cache. Short, so that both have the same length.
    named{"summarize",
          [](auto& edges) {
              return pipeline{
                  summarize{.when = used >= 80_pct, .until = used <= 50_pct, .size = 300_tokens, .with = edges.model},
                  sliding_window{.when = used >= 90_pct}};
          }},
    named{"summarize_on_prefix",
          [](auto& edges) {
              return pipeline{summarize{.when = used >= 80_pct,
                                        .until = used <= 50_pct,
                                        .size = 300_tokens,
                                        .with = on_prefix{edges.model}},
                              sliding_window{.when = used >= 90_pct}};
          }},
    // A stand-in for Anthropic's own context editing: from 60 % on the model reads the newest three results alone. The
    // window is the library's.
    named{"provider", pipeline{record{.to = no_journal{}},
                               compress{.when = used >= 60_pct,
                                        .until = used <= 1_pct,
                                        .protect = last(3_results),
                                        .over = 9_bytes,
                                        .with = cleared{}},
                               sliding_window{.when = used >= 90_pct}}},
    // The presets.
    named{"progressive", [](auto& edges) { return presets::progressive(edges.journal, edges.store, edges.model); }},
    named{"harness", [](auto& edges) { return presets::harness(edges.journal, edges.store, edges.model); }},
    named{"cascade", [](auto& edges) { return presets::cascade(edges.journal, edges.store, edges.model); }},
    named{"coding_agent", [](auto& edges) { return presets::coding_agent(edges.journal, edges.model); }},
    named{"no_model", [](auto& edges) { return presets::no_model(edges.journal, edges.store); }},
    named{"planned", [](auto& edges) { return presets::planned(edges.journal, edges.store); }},
    named{"recommended", [](auto& edges) { return presets::recommended(edges.journal, edges.store, edges.model); }},
};

}  // namespace replay
