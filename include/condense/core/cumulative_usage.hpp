// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <condense/core/quantity.hpp>

// Some clients report the sum of a whole conversation and not one request: what each report adds.

namespace condense {
inline namespace v1 {

/// Plain data. `auto const cost = totals.next(reported);`
struct cumulative_usage {
    tokens total = {};   ///< the newest report
    tokens latest = {};  ///< what it added
    bool known = false;  ///< whether that is known

    /// What the report adds to the one before. The same total again is the same report, and adds what that added; a
    /// smaller one begins anew, and nobody knows what it adds.
    constexpr std::optional<tokens> next(tokens reported) noexcept {
        if (reported != total) {
            known = reported > total;
            latest = reported - total;
            total = reported;
        }
        if (known) return latest;
        return std::nullopt;
    }

    friend constexpr bool operator==(cumulative_usage const&, cumulative_usage const&) = default;
};

}  // namespace v1
}  // namespace condense
