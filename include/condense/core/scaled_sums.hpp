// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/quantity.hpp>

// How a run measures with what is known of its sum as a whole, where parts are counted one by one.

namespace condense {
inline namespace v1 {
namespace detail {

/// While it lasts sums are measured as the provider has reported, or as it is expected to report, whichever is more:
/// after an edit estimates count again, and the request has to fit by them too.
template <class View>
class scaled_sums {
public:
    constexpr scaled_sums(View& edits, tokens counted, tokens real) noexcept : edits_{&edits} {
        if (real == counted || real.count == 0) return;
        while (counted.count >> 31 != 0 || real.count >> 31 != 0) counted.count >>= 1, real.count >>= 1;
        if (counted.count != 0 && real.count != 0) edits.calibrate(counted, real);
    }
    scaled_sums(scaled_sums const&) = delete;
    scaled_sums& operator=(scaled_sums const&) = delete;
    constexpr ~scaled_sums() { edits_->calibrate({}, {}); }

private:
    View* edits_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
