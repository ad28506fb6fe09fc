// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <condense/core/estimator.hpp>
#include <condense/detail/figure.hpp>
#include <condense/detail/fixed_log.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/estimate/ratio_line.hpp>

// Learns from reports how a model's tokens differ from an estimate: a ratio, and tokens for each message, with the
// spread of both. A rule of calibrated: calibrated{.count = char_ratio<family::claude>{}, .rule = log_ratio{}}.

namespace condense {
inline namespace v1 {
/// The rule: for one model, for each of four classes of content, the ratio of reported to counted tokens and tokens a
/// message beside it. Held between 0.5 and 2.5; begins at `prior`, which counts for 20,000 tokens; forgets by half in
/// 200 requests. Begins anew for another model, and where five requests in a row are more than three
/// spreads off: that is another tokenizer. Plain integers: same reports, same figures.
struct log_ratio {
    static constexpr std::size_t classes = 4;

    percent prior = {percent::whole};  ///< the ratio while nothing is known, such as {11'000}
    std::uint32_t caution =
        0;  ///< hundredths of a spread that every corrected sum has on top; 164 is enough in 95 of 100 requests

    /// The corrected sum; the overhead, which is known exactly, is not corrected.
    constexpr cost corrected(request_count const& sum) const noexcept { return upper(sum, caution); }
    /// The same with so many hundredths of a spread on top: 128 for 90 of 100 requests, 164 for 95, 233 for 99.
    constexpr cost upper(request_count const& sum, std::uint32_t hundredths = 164) const noexcept {
        auto const& line = line_of(sum);
        return line.said(sum, prior_log(), line.spread() * (hundredths < 1'000 ? hundredths : 1'000) / 100) +
               sum.overhead;
    }
    /// A request and what was reported for it, cached tokens included and answer left out (provider_usage::request()).
    constexpr void observe(request_count const& sum, tokens reported) noexcept {
        line_of(sum).learn(sum, reported - sum.overhead.tokens(), prior_log());
    }
    /// Sets the model of the requests that follow, and forgets what was learnt of another.
    constexpr void use_model(std::string_view name) noexcept {
        auto const now = detail::fnv1a(name);
        if (model == now) return;
        if (model != 0) lines = {};
        model = now;
    }

    /// Reported over counted, in 1/65,536.
    constexpr std::uint64_t ratio(std::uint8_t content = 0) const noexcept {
        return detail::ratio_of_log2(lines[content % classes].level(prior_log()));
    }
    constexpr cost per_message(std::uint8_t content = 0) const noexcept {
        return {static_cast<std::uint64_t>(lines[content % classes].slope())};
    }
    /// How many requests that rests on.
    constexpr std::uint32_t seen(std::uint8_t content = 0) const noexcept { return lines[content % classes].seen(); }

    /// Serialises what was learnt, as numbers.
    std::string save() const {
        auto copy = *this;
        std::string out = std::to_string(model);
        for (auto& line : copy.lines)
            line.each_field(
                [&](auto& value, std::int64_t, std::int64_t) { out.append(" ").append(std::to_string(value)); });
        return out;
    }
    /// Restores what save() wrote; returns false and changes nothing for any other text.
    constexpr bool load(std::string_view text) noexcept {
        auto read = *this;
        auto const name = detail::take_count(text);
        bool good = name.fault == detail::figure_fault::none;
        read.model = name.value;
        for (auto& line : read.lines)
            line.each_field([&](auto& value, std::int64_t least, std::int64_t most) {
                bool const negative = text.starts_with('-');
                if (negative) text.remove_prefix(1);
                auto const next = detail::take_count(text);
                good = good && next.fault == detail::figure_fault::none &&
                       next.value <= static_cast<std::uint64_t>(negative ? -least : most) &&
                       (negative || static_cast<std::int64_t>(next.value) >= least);
                if (!good) return;
                auto const number = static_cast<std::int64_t>(next.value);
                value = static_cast<std::remove_reference_t<decltype(value)>>(negative ? -number : number);
            });
        if (good && text.empty()) *this = read;
        return good && text.empty();
    }

    friend constexpr bool operator==(log_ratio const&, log_ratio const&) = default;

    std::uint64_t model = 0;  ///< a hash of its name; 0 while none was told
    std::array<detail::ratio_line, classes> lines = {};

private:
    constexpr std::int64_t prior_log() const noexcept {
        return detail::log2_of_ratio(detail::ratio_of(prior.basis_points, percent::whole));
    }
    constexpr detail::ratio_line const& line_of(request_count const& sum) const noexcept {
        return lines[sum.content % classes];
    }
    constexpr detail::ratio_line& line_of(request_count const& sum) noexcept { return lines[sum.content % classes]; }
};

}  // namespace v1
}  // namespace condense
