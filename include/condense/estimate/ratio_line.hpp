// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <condense/core/estimator.hpp>
#include <condense/detail/fixed_log.hpp>
#include <condense/detail/saturate.hpp>

// Weighted linear regression, in integers, of reported tokens over counted ones: the state of log_ratio for one class
// of content.

namespace condense {
inline namespace v1 {
namespace detail {

/// What is known of one class of content. Ratios of reported to counted tokens stand over messages per counted token: a
/// line whose height is the ratio, whose slope are tokens a message. Weighted by tokens, older requests by half every
/// 200.
class ratio_line {
public:
    static constexpr std::int64_t weight_unit = 64;  ///< tokens in a unit of weight
    static constexpr std::int64_t prior_weight = 20'000 / weight_unit;  ///< of 20,000 tokens
    static constexpr std::int64_t lasting = 65'309;  ///< of 65,536, for each request: half of it after 200
    static constexpr std::int64_t least_log = -fixed_one;  ///< a ratio of 0.5
    static constexpr std::int64_t most_log = 86'634;  ///< a ratio of 2.5
    /// What holds the slope down while requests are alike: 5 % of noise on 20,000 tokens against 8 tokens a message.
    static constexpr std::int64_t slope_prior = std::int64_t{3} << 32;
    static constexpr std::int64_t most_slope = 64 * 256;  ///< in steps of cost
    static constexpr std::int64_t most_moment = std::int64_t{1} << 61;
    static constexpr std::int64_t first_spread = 9'011;  ///< a tenth, as a logarithm
    static constexpr std::int64_t least_spread = 1'872;  ///< a fiftieth
    static constexpr std::uint32_t settled = 8;  ///< requests after which one may be an outlier
    static constexpr std::uint32_t jump = 5;  ///< outliers in a row that are a new tokenizer

    /// Log2 of the ratio in 1/65,536, drawn to the prior by what 20,000 tokens would say for it.
    constexpr std::int64_t level(std::int64_t prior) const noexcept {
        if (seen_ == 0) return held(prior);
        auto const by_messages = slope() * (mean_x_ >> 16) >> 12;
        auto const ratio = (mean_y_ >> 16) - by_messages;
        auto const log = log2_of_ratio(ratio < 1 ? 1u : static_cast<std::uint64_t>(ratio));
        return held((weight_ * log + prior_weight * prior) / (weight_ + prior_weight));
    }
    /// Steps of cost for a message, beyond its frame; never negative, so that a message more is never less.
    constexpr std::int64_t slope() const noexcept {
        auto const found = moment_xy_ / ((moment_xx_ + slope_prior) >> 12);
        return found < 0 ? 0 : found > most_slope ? most_slope : found;
    }
    /// One standard deviation of the logarithm of what was reported over what was said.
    constexpr std::int64_t spread() const noexcept {
        auto const root = static_cast<std::int64_t>(square_root(static_cast<std::uint64_t>(variance_)));
        return root < least_spread ? least_spread : root;
    }
    constexpr std::uint32_t seen() const noexcept { return seen_; }

    constexpr cost said(request_count const& sum, std::int64_t prior, std::int64_t more = 0) const noexcept {
        auto const ratio = ratio_of_log2(level(prior) + more);
        return {add_capped(scale_up(sum.counted.steps, ratio, static_cast<std::uint64_t>(fixed_one)),
                           scale_up(mul_capped(sum.messages, static_cast<std::uint64_t>(slope())),
                                    more == 0 ? 65'536 : ratio_of_log2(more), 65'536))};
    }

    constexpr void learn(request_count const& sum, tokens reported, std::int64_t prior) noexcept {
        auto const counted = sum.counted.tokens().count;
        if (counted == 0 || reported.count == 0) return;
        if (seen_ >= settled) {
            auto const off = error(sum, reported, prior);
            if (off > 3 * spread() || off < -3 * spread()) {
                if (++outliers_ < jump) return;
                *this = {};
            }
        }
        outliers_ = 0;
        auto const y = within(ratio_of(reported.count, counted), fixed_one / 4, fixed_one * 4);
        auto const x = within(ratio_of(sum.messages, counted) << 4, 0, std::int64_t{1} << 20);
        add(x, y, within(counted / static_cast<std::uint64_t>(weight_unit), 0, (1 << 14) - 1) + 1);
        seen_ = seen_ == none32 ? seen_ : seen_ + 1;
        auto const off = error(sum, reported, prior);
        // The spread that was taken for granted weighs as much as four requests, all older ones as much as 64.
        variance_ += (off * off - variance_) / static_cast<std::int64_t>(seen_ < 60 ? seen_ + 4 : 64);
    }

    friend constexpr bool operator==(ratio_line const&, ratio_line const&) = default;

    /// Calls f(member, least, most) with each, for saved state.
    template <class Function>
    constexpr void each_field(Function&& f) {
        f(seen_, 0, none32), f(outliers_, 0, jump - 1);
        f(weight_, 0, std::int64_t{1} << 23), f(mean_x_, 0, std::int64_t{1} << 36),
            f(mean_y_, 0, std::int64_t{1} << 34);
        f(moment_xx_, 0, most_moment), f(moment_xy_, -most_moment, most_moment), f(variance_, 0, std::int64_t{1} << 44);
    }

private:
    static constexpr std::int64_t within(std::uint64_t value, std::int64_t least, std::int64_t most) noexcept {
        return value > static_cast<std::uint64_t>(most)    ? most
               : value < static_cast<std::uint64_t>(least) ? least
                                                           : static_cast<std::int64_t>(value);
    }
    static constexpr std::int64_t held(std::int64_t log) noexcept {
        return log < least_log ? least_log : log > most_log ? most_log : log;
    }

    constexpr std::int64_t error(request_count const& sum, tokens reported, std::int64_t prior) const noexcept {
        auto const off = log2_of_ratio(ratio_of(reported.count, said(sum, prior).tokens().count));
        return off < -16 * fixed_one ? -16 * fixed_one : off > 16 * fixed_one ? 16 * fixed_one : off;
    }
    /// Means and moments as a running sum of deviations, which loses nothing to large figures.
    constexpr void add(std::int64_t x, std::int64_t y, std::int64_t weight) noexcept {
        weight_ = (weight_ * lasting >> 16) + weight;
        moment_xx_ = fade(moment_xx_);
        moment_xy_ = fade(moment_xy_);
        auto const dx = (x << 16) - mean_x_;
        auto const dy = (y << 16) - mean_y_;
        mean_x_ += dx / weight_ * weight + dx % weight_ * weight / weight_;
        mean_y_ += dy / weight_ * weight + dy % weight_ * weight / weight_;
        moment_xx_ = kept(moment_xx_ + weight * (dx >> 16) * (((x << 16) - mean_x_) >> 16));
        moment_xy_ = kept(moment_xy_ + weight * (dx >> 16) * (((y << 16) - mean_y_) >> 16));
    }
    /// Within what can be restored, whatever a restored state began with.
    static constexpr std::int64_t kept(std::int64_t moment) noexcept {
        return moment > most_moment ? most_moment : moment < -most_moment ? -most_moment : moment;
    }
    static constexpr std::int64_t fade(std::int64_t moment) noexcept {
        return moment / 65'536 * lasting + moment % 65'536 * lasting / 65'536;
    }

    std::uint32_t seen_ = 0;
    std::uint32_t outliers_ = 0;
    std::int64_t weight_ = 0;
    std::int64_t mean_x_ = 0;  ///< messages per counted token, in 2^-36
    std::int64_t mean_y_ = 0;  ///< reported per counted token, in 2^-32
    std::int64_t moment_xx_ = 0;  ///< weight times 2^-40
    std::int64_t moment_xy_ = 0;  ///< weight times 2^-36
    std::int64_t variance_ = first_spread * first_spread;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
