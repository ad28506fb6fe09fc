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

/// A line fitted to the requests of one class of content: y, reported per counted tokens, over x, messages per counted
/// token. Its height at x = 0 is the ratio, its slope the tokens of a message. Requests weigh as much as their tokens,
/// and lose half of that every 200 requests. Logarithms are to base 2, in 1/65,536.
///
/// Everything stays within 64 bits, because x, y, weights and moments are clamped to the limits that each_field names.
class ratio_line {
public:
    static constexpr std::int64_t weight_unit = 64;  ///< tokens per unit of weight
    static constexpr std::int64_t prior_weight = 20'000 / weight_unit;  ///< the prior counts as 20,000 tokens
    static constexpr std::int64_t decay = 65'309;  ///< of 65,536 per request: 2^(-1/200)
    static constexpr std::int64_t least_log = -fixed_one;  ///< a ratio of 0.5
    static constexpr std::int64_t most_log = 86'634;  ///< a ratio of 2.5
    /// Keeps the slope near 0 while requests are alike and say nothing about it: as if 5 % of noise on 20,000 tokens
    /// were weighed against 8 tokens a message.
    static constexpr std::int64_t slope_prior = std::int64_t{3} << 32;
    static constexpr std::int64_t most_slope = 64 * 256;  ///< 64 tokens a message, in steps of cost
    static constexpr std::int64_t most_moment = std::int64_t{1} << 61;
    static constexpr std::int64_t first_spread = 9'011;  ///< log2 of 1.1
    static constexpr std::int64_t least_spread = 1'872;  ///< log2 of 1.02
    static constexpr std::uint32_t outliers_from = 8;  ///< requests before one can be an outlier
    static constexpr std::uint32_t outlier_limit = 5;  ///< outliers in a row that mean a new tokenizer

    /// Log2 of the ratio of tokens alone, the height of the line at x = 0, averaged with `prior`, which weighs as much
    /// as 20,000 tokens.
    constexpr std::int64_t level(std::int64_t prior) const noexcept {
        if (observations_ == 0) return clamp_log(prior);
        auto const by_messages = slope() * (mean_x_ >> 16) >> 12;  // what the messages account for
        auto const ratio = (mean_y_ >> 16) - by_messages;
        auto const log = log2_of_ratio(ratio < 1 ? 1u : static_cast<std::uint64_t>(ratio));
        return clamp_log((weight_ * log + prior_weight * prior) / (weight_ + prior_weight));
    }
    /// Steps of cost for a message beyond its frame; never negative, so that another message never lowers a sum.
    constexpr std::int64_t slope() const noexcept {
        auto const steps = moment_xy_ / ((moment_xx_ + slope_prior) >> 12);
        return steps < 0 ? 0 : steps > most_slope ? most_slope : steps;
    }
    /// One standard deviation of the logarithm of reported over corrected tokens.
    constexpr std::int64_t spread() const noexcept {
        auto const root = static_cast<std::int64_t>(square_root(static_cast<std::uint64_t>(variance_)));
        return root < least_spread ? least_spread : root;
    }
    /// How many requests were learnt from since the last reset.
    constexpr std::uint32_t observations() const noexcept { return observations_; }

    /// The estimate of a request without its overhead: counted tokens times the ratio, and the slope for each message.
    /// `margin` is added to the logarithm, and so raises both alike.
    constexpr cost corrected(request_count const& sum, std::int64_t prior, std::int64_t margin = 0) const noexcept {
        auto const ratio = ratio_of_log2(level(prior) + margin);
        return {add_capped(scale_up(sum.counted.steps, ratio, static_cast<std::uint64_t>(fixed_one)),
                           scale_up(mul_capped(sum.messages, static_cast<std::uint64_t>(slope())),
                                    margin == 0 ? 65'536 : ratio_of_log2(margin), 65'536))};
    }

    /// Adds a request to the line, unless it is an outlier: more than three spreads from what the line says. Five
    /// outliers in a row reset the line, since they mean another tokenizer; the fifth is then learnt. Requests without
    /// counted or reported tokens say nothing and are ignored.
    constexpr void learn(request_count const& sum, tokens reported, std::int64_t prior) noexcept {
        auto const counted = sum.counted.tokens().count;
        if (counted == 0 || reported.count == 0) return;
        if (observations_ >= outliers_from) {
            auto const deviation = error(sum, reported, prior);
            if (deviation > 3 * spread() || deviation < -3 * spread()) {
                if (++outliers_ < outlier_limit) return;
                *this = {};
            }
        }
        outliers_ = 0;
        auto const y = clamp(ratio_of(reported.count, counted), fixed_one / 4, fixed_one * 4);
        auto const x = clamp(ratio_of(sum.messages, counted) << 4, 0, std::int64_t{1} << 20);
        add(x, y, clamp(counted / static_cast<std::uint64_t>(weight_unit), 0, (1 << 14) - 1) + 1);
        observations_ = observations_ == none32 ? observations_ : observations_ + 1;
        auto const deviation = error(sum, reported, prior);
        // A running mean: the initial spread weighs as much as four requests, and a new one at least a 64th.
        variance_ += (deviation * deviation - variance_) /
                     static_cast<std::int64_t>(observations_ < 60 ? observations_ + 4 : 64);
    }

    friend constexpr bool operator==(ratio_line const&, ratio_line const&) = default;

    /// Calls f(member, least, most) for each member, in the order of saved state.
    template <class Function>
    constexpr void each_field(Function&& f) {
        f(observations_, 0, none32), f(outliers_, 0, outlier_limit - 1);
        f(weight_, 0, std::int64_t{1} << 23), f(mean_x_, 0, std::int64_t{1} << 36),
            f(mean_y_, 0, std::int64_t{1} << 34);
        f(moment_xx_, 0, most_moment), f(moment_xy_, -most_moment, most_moment), f(variance_, 0, std::int64_t{1} << 44);
    }

private:
    static constexpr std::int64_t clamp(std::uint64_t value, std::int64_t least, std::int64_t most) noexcept {
        return value > static_cast<std::uint64_t>(most)    ? most
               : value < static_cast<std::uint64_t>(least) ? least
                                                           : static_cast<std::int64_t>(value);
    }
    static constexpr std::int64_t clamp_log(std::int64_t log) noexcept {
        return log < least_log ? least_log : log > most_log ? most_log : log;
    }

    /// Log2 of reported over corrected tokens, within 16 to either side, so that its square fits.
    constexpr std::int64_t error(request_count const& sum, tokens reported, std::int64_t prior) const noexcept {
        auto const deviation = log2_of_ratio(ratio_of(reported.count, corrected(sum, prior).tokens().count));
        return deviation < -16 * fixed_one ? -16 * fixed_one : deviation > 16 * fixed_one ? 16 * fixed_one : deviation;
    }
    /// Updates means and moments from deviations (Welford, West), which keeps the precision that sums of squares lose.
    constexpr void add(std::int64_t x, std::int64_t y, std::int64_t weight) noexcept {
        weight_ = (weight_ * decay >> 16) + weight;
        moment_xx_ = decayed(moment_xx_);
        moment_xy_ = decayed(moment_xy_);
        auto const dx = (x << 16) - mean_x_;
        auto const dy = (y << 16) - mean_y_;
        mean_x_ += dx / weight_ * weight + dx % weight_ * weight / weight_;
        mean_y_ += dy / weight_ * weight + dy % weight_ * weight / weight_;
        moment_xx_ = clamp_moment(moment_xx_ + weight * (dx >> 16) * (((x << 16) - mean_x_) >> 16));
        moment_xy_ = clamp_moment(moment_xy_ + weight * (dx >> 16) * (((y << 16) - mean_y_) >> 16));
    }
    /// Keeps a moment within the limits of saved state, whatever a restored state began with.
    static constexpr std::int64_t clamp_moment(std::int64_t moment) noexcept {
        return moment > most_moment ? most_moment : moment < -most_moment ? -most_moment : moment;
    }
    static constexpr std::int64_t decayed(std::int64_t moment) noexcept {
        return moment / 65'536 * decay + moment % 65'536 * decay / 65'536;
    }

    std::uint32_t observations_ = 0;
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
