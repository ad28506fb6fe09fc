// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/cost.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>

// How counted tokens become those that a limit is held against, where a report or what was learnt says that the
// count of the whole is off: in proportion, except for what is known apart from the messages.

namespace condense {
inline namespace v1 {
namespace detail {

/// One for one unless made by `of`.
class token_scale {
public:
    constexpr token_scale() = default;

    /// `counted` stands for `real`; `apart` is in both and counts one for one, unless one of them is no more than it.
    static constexpr token_scale of(tokens counted, tokens real, tokens apart = {}) noexcept {
        token_scale made;
        if (real == counted || real.count == 0) return made;
        if (apart >= counted || apart >= real) apart = {};
        auto from = counted - apart;
        auto to = real - apart;
        while (from.count >> 31 != 0 || to.count >> 31 != 0) from.count >>= 1, to.count >>= 1;
        if (from.count == 0 || to.count == 0) return made;
        made.counted_ = from;
        made.real_ = to;
        made.apart_ = apart;
        return made;
    }

    /// What a sum comes to that holds what is known apart; rounded upward, once.
    constexpr tokens operator()(cost sum) const noexcept {
        auto const whole = sum.tokens();
        if (counted_ == real_) return whole;
        return apart_ + tokens{scale_up((whole - apart_).count, real_.count, counted_.count)};
    }
    /// The same for messages alone.
    constexpr cost of_messages(cost some) const noexcept {
        return counted_ == real_ ? some : cost{scale_up(some.steps, real_.count, counted_.count)};
    }
    /// The most that messages may be counted as to come to no more than `limit`.
    constexpr cost within(tokens limit) const noexcept {
        auto const most = cost::of(limit);
        return counted_ == real_ ? most : cost{scale_down(most.steps, counted_.count, real_.count)};
    }

private:
    tokens counted_ = {};  ///< below 2^31, as is the next
    tokens real_ = {};
    tokens apart_ = {};
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
