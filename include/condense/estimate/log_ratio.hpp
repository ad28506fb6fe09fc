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

/// Learns, for one model and each of four classes of content, the ratio of reported to counted tokens and a cost per
/// message beside it. The ratio starts at `prior`, which weighs as much as 20,000 tokens, stays between 0.5 and 2.5,
/// and older requests lose half of their weight every 200 requests. Starts over for another model, and after five
/// requests in a row that are more than three spreads off, which means another tokenizer. Integer arithmetic only: the
/// same reports give the same figures on every machine. One report costs a few dozen operations and no memory.
struct log_ratio {
    static constexpr std::size_t classes = 4;  ///< classes of content; a number beyond counts modulo this

    percent prior = {percent::one_hundred};  ///< the ratio while nothing is known, such as {11'000}
    /// Hundredths of a spread added to every corrected sum: with 164 the sum is high enough for 95 of 100 requests.
    std::uint32_t caution = 0;

    /// The corrected sum; the overhead, which is known exactly, is not corrected.
    constexpr cost corrected(request_count const& sum) const noexcept { return upper(sum, caution); }
    /// The corrected sum with this many hundredths of a spread added, at most 1,000. High enough for 90 of 100 requests
    /// with 128, for 95 with 164, for 99 with 233: the quantiles of a normal distribution.
    constexpr cost upper(request_count const& sum, std::uint32_t hundredths = 164) const noexcept {
        auto const& line = line_of(sum);
        return line.corrected(sum, prior_log(), line.spread() * (hundredths < 1'000 ? hundredths : 1'000) / 100) +
               sum.overhead;
    }
    /// Learns from a request and the tokens reported for it, cached ones included and without the answer, as
    /// provider_usage::request() has them. The overhead is subtracted first.
    constexpr void observe(request_count const& sum, tokens reported) noexcept {
        line_of(sum).learn(sum, reported - sum.overhead.tokens(), prior_log());
    }
    /// Sets the model of the requests that follow, and forgets what was learnt from another.
    constexpr void use_model(std::string_view name) noexcept {
        auto const hash = detail::fnv1a(name);
        if (model == hash) return;
        if (model != 0) lines = {};
        model = hash;
    }

    /// Reported over counted tokens, in 1/65,536.
    constexpr std::uint64_t ratio(std::uint8_t content = 0) const noexcept {
        return detail::ratio_of_log2(lines[content % classes].level(prior_log()));
    }
    /// Cost of each message beyond its frame; never negative.
    constexpr cost per_message(std::uint8_t content = 0) const noexcept {
        return {static_cast<std::uint64_t>(lines[content % classes].slope())};
    }
    /// How many requests the ratio and the cost per message rest on.
    constexpr std::uint32_t seen(std::uint8_t content = 0) const noexcept {
        return lines[content % classes].observations();
    }

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
        auto loaded = *this;  // written over figure by figure, so that a fault leaves *this as it is
        auto const name = detail::take_count(text);
        bool ok = name.fault == detail::figure_fault::none;
        loaded.model = name.value;
        for (auto& line : loaded.lines)
            line.each_field([&](auto& value, std::int64_t least, std::int64_t most) {
                bool const negative = text.starts_with('-');
                if (negative) text.remove_prefix(1);
                auto const figure = detail::take_count(text);
                ok = ok && figure.fault == detail::figure_fault::none &&
                     figure.value <= static_cast<std::uint64_t>(negative ? -least : most) &&
                     (negative || static_cast<std::int64_t>(figure.value) >= least);
                if (!ok) return;
                auto const number = static_cast<std::int64_t>(figure.value);
                value = static_cast<std::remove_reference_t<decltype(value)>>(negative ? -number : number);
            });
        if (ok && text.empty()) *this = loaded;
        return ok && text.empty();
    }

    friend constexpr bool operator==(log_ratio const&, log_ratio const&) = default;

    std::uint64_t model = 0;  ///< a hash of its name; 0 while none is set
    std::array<detail::ratio_line, classes> lines = {};  ///< by class of content

private:
    constexpr std::int64_t prior_log() const noexcept {
        return detail::log2_of_ratio(detail::ratio_of(prior.basis_points, percent::one_hundred));
    }
    constexpr detail::ratio_line const& line_of(request_count const& sum) const noexcept {
        return lines[sum.content % classes];
    }
    constexpr detail::ratio_line& line_of(request_count const& sum) noexcept { return lines[sum.content % classes]; }
};

}  // namespace v1
}  // namespace condense
