// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <condense/core/edit_log.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>

// What a provider has reported for a request corrects the count of the conversation: the reported sum
// stands for what it held, the estimate for what has come since. After an edit the count goes on in proportion.

namespace condense {
inline namespace v1 {
namespace detail {

/// A request as it was counted, and as it was reported. Plain data.
class reported_baseline {
public:
    /// The request that is being sent, which holds the first `messages` messages.
    constexpr void sending(v1::cost counted, std::uint64_t messages) noexcept {
        sent_ = counted;
        sent_messages_ = messages;
        sent_known_ = true;
    }
    /// What was reported for it. More than four times the count is taken for four times, less than half of it for
    /// half (T4): one that is too low would let requests grow past the window. Where nothing was counted it stands.
    constexpr bool observe(tokens reported) noexcept {
        if (!sent_known_ || reported.count == 0) return false;
        auto const counted = sent_.tokens().count;
        auto const least = counted / 2;
        auto const most = counted == 0 ? reported.count : mul_capped(counted, 4);
        reported_ = {reported.count < least ? least : reported.count > most ? most : reported.count};
        counted_ = sent_;
        messages_ = sent_messages_;
        return true;
    }
    /// What is known apart from the messages is another now: as much more or less, whatever corrects estimates.
    constexpr void overhead(tokens before, tokens now) noexcept {
        auto const moved = [&](v1::cost each) { return each - v1::cost::of(before) + v1::cost::of(now); };
        if (sent_known_) sent_ = moved(sent_);
        if (!holds()) return;
        counted_ = moved(counted_);
        reported_ = reported_ - before + now;
    }
    /// An edit changed message `first`: what stands behind it was not reported. Before it the sum was `counted`, and
    /// counted for `used`, and stands for that in proportion from here on.
    constexpr void edited(std::uint64_t first, v1::cost counted, tokens used) noexcept {
        if (first < sent_messages_) sent_known_ = false;
        if (first >= messages_) return;
        forget();
        if (counted == v1::cost{}) return;
        reported_ = used;
        counted_ = counted;
    }
    constexpr void forget() noexcept {
        reported_ = {};
        messages_ = 0;
    }

    /// Some request was reported.
    constexpr bool holds() const noexcept { return reported_.count != 0; }
    /// And no edit has touched it since.
    constexpr bool is_exact() const noexcept { return holds() && messages_ != 0; }
    /// How many messages there were when that request was sent.
    constexpr std::uint64_t messages() const noexcept { return messages_; }
    /// No request had more messages than these.
    constexpr bool within(std::uint64_t messages) const noexcept {
        return messages_ <= messages && sent_messages_ <= messages;
    }
    /// What a sum counts for: as reported, plus what it has grown by since, corrected by f(cost) -> tokens. After an
    /// edit in proportion, but for what is known apart.
    template <class Function>
    constexpr tokens used(v1::cost now, tokens apart, Function const& f) const noexcept {
        if (!is_exact()) return token_scale::of(counted_.tokens(), reported_, apart)(now);
        return now < counted_ ? reported_ - f(counted_ - now) : reported_ + f(now - counted_);
    }
    constexpr tokens used(v1::cost now, tokens apart = {}) const noexcept {
        return holds() ? used(now, apart, [](v1::cost each) { return each.tokens(); }) : now.tokens();
    }

    friend constexpr bool operator==(reported_baseline const&, reported_baseline const&) = default;

    /// Calls f with all members, for saved state.
    template <class Function>
    constexpr void each_field(Function&& f) {
        f(sent_.steps, sent_messages_, sent_known_, reported_.count, counted_.steps, messages_);
    }

private:
    v1::cost sent_ = {};
    std::uint64_t sent_messages_ = 0;
    bool sent_known_ = false;
    tokens reported_ = {};
    v1::cost counted_ = {};
    std::uint64_t messages_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
