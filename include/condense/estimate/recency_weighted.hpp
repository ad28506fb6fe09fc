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

/// Characters per token in millionths: four fifths the mean of the newest three reports, one fifth the mean of all that
/// are kept, drawn to the baseline by 0.4 / (n + 2). Fewer than three reports do not count.
struct recency_weighted {
    static constexpr std::size_t kept = 200;
    static constexpr std::uint32_t least = 2'000'000;  ///< a report below counts as this
    static constexpr std::uint32_t most = 8'000'000;  ///< and one above as that

    std::uint32_t baseline = 4'000'000;  ///< at which the estimator counts
    std::array<std::uint32_t, kept> reports = {};  ///< the one with the number n, from 0, is at n % kept
    std::uint64_t seen = 0;
    std::uint64_t model = 0;  ///< a hash of its name; 0 while none was told

    constexpr void add(std::uint64_t chars_per_token) noexcept {
        auto const held = chars_per_token < least ? least : chars_per_token > most ? most : chars_per_token;
        reports[detail::as_size(seen % kept)] = static_cast<std::uint32_t>(held);
        seen = detail::add_capped(seen, 1);
        now = computed();
    }
    constexpr std::uint64_t size() const noexcept { return seen < kept ? seen : kept; }
    constexpr std::uint32_t ratio() const noexcept { return size() < 3 ? baseline : now; }

    constexpr cost corrected(request_count const& sum) const noexcept {
        auto const ratio_now = ratio();
        if (ratio_now == 0) return sum.total();
        return cost{detail::scale_up(sum.counted.steps, baseline, ratio_now)} + sum.overhead;
    }
    constexpr void observe(request_count const& sum, tokens reported) noexcept {
        auto const real = (reported - sum.overhead.tokens()).count;
        auto const counted = sum.counted.tokens().count;
        if (real == 0 || counted == 0) return;
        add(detail::mul_capped(detail::ratio_of(counted, real), baseline) >> 16);
    }
    /// Sets the model of the requests that follow, and forgets what was learnt of another.
    constexpr void use_model(std::string_view name) noexcept {
        auto const told = detail::fnv1a(name);
        if (model != told && model != 0) reports = {}, seen = 0, now = 0;
        model = told;
    }

    /// Serialises what was learnt, as numbers, the oldest report first.
    std::string save() const {
        std::string out = std::to_string(model);
        for (auto back = size(); back > 0; --back)
            out.append(" ").append(std::to_string(reports[detail::as_size((seen - back) % kept)]));
        return out;
    }
    /// Restores what save() wrote; returns false and changes nothing for any other text.
    constexpr bool load(std::string_view text) noexcept {
        recency_weighted read{.baseline = baseline};
        auto const name = detail::take_count(text);
        if (name.fault != detail::figure_fault::none) return false;
        read.model = name.value;
        while (!text.empty()) {
            auto const next = detail::take_count(text);
            if (next.fault != detail::figure_fault::none || next.value < least || next.value > most ||
                read.seen == kept)
                return false;
            read.add(next.value);
        }
        *this = read;
        return true;
    }

    friend constexpr bool operator==(recency_weighted const&, recency_weighted const&) = default;

    std::uint32_t now = 0;  ///< the ratio, computed once a report

private:
    constexpr std::uint32_t computed() const noexcept {
        auto const count = size();
        if (count < 3) return baseline;
        std::uint64_t newest = 0;
        std::uint64_t all = 0;
        for (std::uint64_t back = 1; back <= count; ++back) {
            auto const each = reports[detail::as_size((seen - back) % kept)];
            all += each;
            if (back <= 3) newest += each;
        }
        auto const mean = 8 * newest * count + 6 * all;  // times 30 * count
        auto const whole = 150 * count * (count + 2);
        return static_cast<std::uint32_t>((mean * (5 * count + 8) + 60 * count * std::uint64_t{baseline} + whole / 2) /
                                          whole);
    }
};

}  // namespace v1
}  // namespace condense
