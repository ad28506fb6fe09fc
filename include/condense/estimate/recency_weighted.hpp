// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/estimator.hpp>
#include <condense/detail/figure.hpp>
#include <condense/detail/fixed_log.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/saturate.hpp>

// A simple rule for calibrated, as `cascade` has it: characters per token from the latest reports, most weight on the
// newest three. calibrated{.count = chars_per_token{40}, .rule = recency_weighted{}}.

namespace condense {
inline namespace v1 {

/// Learns characters per token, in millionths: four fifths of the mean of the newest three of n reports and one fifth
/// of the mean of all, moved towards the baseline by a share of 0.4 / (n + 2). With fewer than three reports the ratio
/// is the baseline. Keeps 200 reports, 0.8 KiB; a report costs a pass over them.
struct recency_weighted {
    static constexpr std::size_t capacity = 200;  ///< reports at most; a newer one replaces the oldest
    static constexpr std::uint32_t least = 2'000'000;  ///< a report below counts as this: 2 characters a token
    static constexpr std::uint32_t most = 8'000'000;  ///< a report above counts as this: 8 characters a token

    std::uint32_t baseline = 4'000'000;  ///< the ratio at which the estimator counts
    std::array<std::uint32_t, capacity> reports = {};  ///< a ring: report n, counted from 0, is at n % capacity
    std::uint64_t seen = 0;  ///< reports since the last reset, also those that are no longer kept
    std::uint64_t model = 0;  ///< a hash of its name; 0 while none is set

    /// Adds a report, in millionths of a character per token.
    constexpr void add(std::uint64_t chars_per_token) noexcept {
        auto const clamped = chars_per_token < least ? least : chars_per_token > most ? most : chars_per_token;
        reports[detail::as_size(seen % capacity)] = static_cast<std::uint32_t>(clamped);
        seen = detail::add_capped(seen, 1);
        now = compute_ratio();
    }
    /// How many reports are kept.
    constexpr std::uint64_t size() const noexcept { return seen < capacity ? seen : capacity; }
    /// Characters per token by which sums are corrected, in millionths.
    constexpr std::uint32_t ratio() const noexcept { return size() < 3 ? baseline : now; }

    /// The corrected sum; the overhead, which is known exactly, is not corrected.
    constexpr cost corrected(request_count const& sum) const noexcept {
        auto const current = ratio();
        if (current == 0) return sum.total();
        return cost{detail::scale_up(sum.counted.steps, baseline, current)} + sum.overhead;
    }
    /// Learns from a request and the tokens reported for it, cached ones included and without the answer.
    constexpr void observe(request_count const& sum, tokens reported) noexcept {
        auto const real = (reported - sum.overhead.tokens()).count;
        auto const counted = sum.counted.tokens().count;
        if (real == 0 || counted == 0) return;
        add(detail::mul_capped(detail::ratio_of(counted, real), baseline) >> 16);
    }
    /// Sets the model of the requests that follow, and forgets what was learnt from another.
    constexpr void use_model(std::string_view name) noexcept {
        auto const hash = detail::fnv1a(name);
        if (model != hash && model != 0) reports = {}, seen = 0, now = 0;
        model = hash;
    }

    /// Serialises what was learnt, as numbers, the oldest report first.
    std::string save() const {
        std::string out = std::to_string(model);
        for (auto back = size(); back > 0; --back)
            out.append(" ").append(std::to_string(reports[detail::as_size((seen - back) % capacity)]));
        return out;
    }
    /// Restores what save() wrote; returns false and changes nothing for any other text.
    constexpr bool load(std::string_view text) noexcept {
        recency_weighted loaded{.baseline = baseline};
        auto const name = detail::take_count(text);
        if (name.fault != detail::figure_fault::none) return false;
        loaded.model = name.value;
        while (!text.empty()) {
            auto const figure = detail::take_count(text);
            if (figure.fault != detail::figure_fault::none || figure.value < least || figure.value > most ||
                loaded.seen == capacity)
                return false;
            loaded.add(figure.value);
        }
        *this = loaded;
        return true;
    }

    friend constexpr bool operator==(recency_weighted const&, recency_weighted const&) = default;

    std::uint32_t now = 0;  ///< the current ratio, computed once a report; set by add() alone

private:
    constexpr std::uint32_t compute_ratio() const noexcept {
        auto const count = size();
        if (count < 3) return baseline;
        std::uint64_t newest = 0;
        std::uint64_t all = 0;
        for (std::uint64_t back = 1; back <= count; ++back) {
            auto const report = reports[detail::as_size((seen - back) % capacity)];
            all += report;
            if (back <= 3) newest += report;
        }
        // Integers throughout: the mean is scaled by 30 * count, the result by the divisor, and rounded to nearest.
        auto const mean = 8 * newest * count + 6 * all;
        auto const divisor = 150 * count * (count + 2);
        return static_cast<std::uint32_t>(
            (mean * (5 * count + 8) + 60 * count * std::uint64_t{baseline} + divisor / 2) / divisor);
    }
};

}  // namespace v1
}  // namespace condense
