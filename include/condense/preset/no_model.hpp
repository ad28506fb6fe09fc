// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/preset/recommended.hpp>

// Never calls a model, loses nothing that the journal does not hold, and gives the same bytes for the same input:
// presets::no_model(journal, store).

namespace condense {
inline namespace v1 {
namespace presets {

/// The layers of `recommended` with a summary by rule: user requests, tools, files, errors and the last answer. For
/// tests, for offline use, and where a model's summary costs too much; such a summary knows nothing of decisions.
template <journal Journal, class Store>
auto no_model(Journal to, Store into) {
    using namespace literals;
    return recommended_with(
        to, into,
        summarize{.when = used >= 95_pct, .until = used <= 25_pct, .protect = task | last(15_pct) | unanswered});
}

}  // namespace presets
}  // namespace v1
}  // namespace condense
