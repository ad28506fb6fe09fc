// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <condense/core/edit_log.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>

// The provider's reports correct the count of a conversation: the reported sum of a request stands for its messages, an
// estimate for later ones. After an edit, estimates are scaled in proportion to that report.

namespace condense {
inline namespace v1 {
namespace detail {

/// The newest request as it was estimated, and the newest report. Plain data, saved with the session. All of it is
/// O(1); sums saturate, because a provider or a saved state may supply any figures.
class reported_baseline {
public:
    /// The request that is being sent: the first `messages` messages, estimated at `estimate`.
    constexpr void sending(v1::cost estimate, std::uint64_t messages) noexcept {
        sent_ = estimate;
        sent_messages_ = messages;
        sent_known_ = true;
    }
    /// The report for that request; false if there is no such request, or no figure. A report of more than four times
    /// the estimate counts as four times, one of less than half as half: one that is too low would let requests grow
    /// past the window. With an estimate of 0 the report counts unchanged. `cleared` are in the estimate, but the
    /// provider has left them out; more of them than the report allows are none.
    constexpr bool observe(tokens reported, tokens cleared = {}) noexcept {
        if (!sent_known_ || reported.count == 0) return false;
        auto const estimate = sent_.tokens().count;
        auto const least = estimate / 2;
        auto const most = estimate == 0 ? reported.count : mul_capped(estimate, 4);
        if (cleared.count >= most) cleared = {};
        auto const whole = add_capped(reported.count, cleared.count);
        auto const counted = whole < least ? least : whole > most ? most : whole;
        reported_ = {counted > cleared.count ? counted - cleared.count : reported.count};
        estimate_ = sent_;
        messages_ = sent_messages_;
        return true;
    }
    /// The budget's overhead, which is not part of any message, changes from `before` to `after`. All sums change by
    /// the difference, whatever corrects the estimates of messages.
    constexpr void overhead(tokens before, tokens after) noexcept {
        auto const shifted = [&](v1::cost sum) { return sum - v1::cost::of(before) + v1::cost::of(after); };
        if (sent_known_) sent_ = shifted(sent_);
        if (!holds()) return;
        estimate_ = shifted(estimate_);
        reported_ = reported_ - before + after;
    }
    /// An edit changed message `first`, so that no report covers it and the messages behind it. Before the edit the
    /// messages were estimated at `estimate` and counted as `used`; that ratio scales estimates from now on.
    constexpr void edited(std::uint64_t first, v1::cost estimate, tokens used) noexcept {
        if (first < sent_messages_) sent_known_ = false, sent_messages_ = 0;
        if (first >= messages_) return;
        forget();
        if (estimate == v1::cost{}) return;
        reported_ = used;
        estimate_ = estimate;
    }
    /// Drops the report, as for another model.
    constexpr void forget() noexcept {
        reported_ = {};
        messages_ = 0;
    }

    /// True if some request was reported.
    constexpr bool holds() const noexcept { return reported_.count != 0; }
    /// True if, besides, no edit has changed that request since.
    constexpr bool is_exact() const noexcept { return holds() && messages_ != 0; }
    /// The number of messages when that request was sent; 0 after an edit.
    constexpr std::uint64_t messages() const noexcept { return messages_; }
    /// True if no request had more messages than these; for states that may be forged.
    constexpr bool within(std::uint64_t messages) const noexcept {
        return messages_ <= messages && sent_messages_ <= messages;
    }
    /// The tokens that the estimate `sum` stands for: the report, plus the growth since, corrected by f(cost) ->
    /// tokens. After an edit, in proportion to the report, except for `overhead`, which is known exactly.
    template <class Function>
    constexpr tokens used(v1::cost sum, tokens overhead, Function const& f) const noexcept {
        if (!is_exact()) return token_scale::of(estimate_.tokens(), reported_, overhead)(sum);
        return sum < estimate_ ? reported_ - f(estimate_ - sum) : reported_ + f(sum - estimate_);
    }
    /// The same with estimates as they are; without a report, the estimate itself.
    constexpr tokens used(v1::cost sum, tokens overhead = {}) const noexcept {
        return holds() ? used(sum, overhead, [](v1::cost growth) { return growth.tokens(); }) : sum.tokens();
    }

    friend constexpr bool operator==(reported_baseline const&, reported_baseline const&) = default;

    /// Calls f with all members, for saved state.
    template <class Function>
    constexpr void each_field(Function&& f) {
        f(sent_.steps, sent_messages_, sent_known_, reported_.count, estimate_.steps, messages_);
    }

private:
    v1::cost sent_ = {};  ///< estimate of the newest request
    std::uint64_t sent_messages_ = 0;  ///< its number of messages; 0 once an edit has changed them
    bool sent_known_ = false;  ///< no edit has changed its messages since
    tokens reported_ = {};  ///< the newest report, or the use before an edit; 0 for none
    v1::cost estimate_ = {};  ///< estimate of the same messages
    std::uint64_t messages_ = 0;  ///< its number of messages; 0 once an edit has changed them
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
