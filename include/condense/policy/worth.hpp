// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/usage.hpp>

// Whether a batch of edits gains enough to be made: at_least(20'000_tokens), at_least(10_pct).

namespace condense {
inline namespace v1 {

/// Any gain will do.
struct any_gain {
    constexpr bool pays(tokens, usage const&) const noexcept { return true; }
    friend constexpr bool operator==(any_gain, any_gain) = default;
};

/// The tokens saved must reach a count, or a share of the input.
template <class Quantity>
struct least_gain {
    Quantity least = {};

    constexpr bool pays(tokens saved, usage const& before) const noexcept {
        if constexpr (requires { least.basis_points; }) return saved >= least.of_rounded_up(before.input);
        else return saved >= least;
    }
    friend constexpr bool operator==(least_gain const&, least_gain const&) = default;
};

constexpr least_gain<tokens> at_least(tokens least) noexcept { return {least}; }
constexpr least_gain<percent> at_least(percent least) noexcept { return {least}; }

}  // namespace v1
}  // namespace condense
