// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/preset/recommended.hpp>

// Never calls a model, loses nothing that the journal does not hold, and gives the same bytes for the same input:
// presets::no_model(journal, store).

namespace condense {
inline namespace v1 {
namespace presets {

/// The layers of `recommended` with nothing but the list of names for a summary. For tests, for offline use, and where
/// names say enough.
template <journal Journal, class Store>
auto no_model(Journal to, Store into, agent_tools tools = agent_tools::none) {
    using namespace literals;
    return recommended_with(
        to, into, reasoning_use::unknown, tools,
        summarize{.when = relaxed(used >= 90_pct, 2_pct),
                  .until = recommended_depth,
                  .protect = task | unanswered,
                  .size = 1_tokens,
                  .with = no_prose{},
                  .leaves = name_index{.share = 15_pct, .lines = 100_pct},
                  .source_hint = tools == agent_tools::recovery ? tool_sentence : std::string_view{}});
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
