// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/token_scale.hpp>

// How a run measures with what is known of its sum as a whole, where parts are counted one by one.

namespace condense {
inline namespace v1 {
namespace detail {

/// While it lasts all sums of a view are measured by one scale, in which `counted` is `real`.
template <class View>
class scaled_sums {
public:
    constexpr scaled_sums(View& edits, tokens counted, tokens real, tokens apart = {}) noexcept
        : edits_{&edits}, before_{edits.scale()} {
        edits.calibrate(token_scale::of(counted, real, apart));
    }
    scaled_sums(scaled_sums const&) = delete;
    scaled_sums& operator=(scaled_sums const&) = delete;
    constexpr ~scaled_sums() { edits_->calibrate(before_); }

private:
    View* edits_;
    token_scale before_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
