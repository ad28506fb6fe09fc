// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <condense/core/layer.hpp>
#include <condense/core/time_limit.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/slots.hpp>

// Runs the layers before it again, under more pressure each time, while usage is above one line:
// escalate{.when = used >= 90_pct, .passes = 2, .within = 30s}. It must be the last layer.

namespace condense {
inline namespace v1 {
namespace detail {

struct no_time_limit {
    friend constexpr bool operator==(no_time_limit, no_time_limit) = default;
};

}  // namespace detail

/// Makes no edits of its own; costs at most `passes` further runs of the layers before it. Each step of pressure halves
/// what they keep; the last one is the top, where only system messages, pins, open groups and the latest user message
/// are safe. Stops at its target; a pass that gains nothing is followed by the top. Without `within` it reads no clock.
/// A request above `ceiling` of the input is never reported as fitting. Defaults are those of the preset `cascade`.
template <class Within = detail::no_time_limit>
struct escalate {
    trigger when = used >= percent{9'000};  ///< one limit on used tokens: pressure needs a single line to get below
    target until = {};  ///< the same; by default 80 % of the limit in `when`
    std::uint32_t passes = 2;  ///< 1 to 64
    Within within = detail::slot_default<Within>();  ///< a duration, checked before each pass
    percent ceiling = {9'800};  ///< share of the input that a request may take

    static constexpr bool timed = !std::same_as<Within, detail::no_time_limit>;
    static_assert(!timed || detail::duration_like<Within>,
                  "condense: escalate: `within` must be a duration such as 30s (see escalate)");
    static constexpr effect effects = timed ? reruns | reads_clock : reruns;

    constexpr void validate() const {
        detail::check_target(when, until);
        detail::reject_unless(passes > 0 && passes <= 64,
                              "condense: escalate: there must be 1 to 64 passes (see escalate)");
        detail::reject_unless(ceiling.basis_points <= percent::one_hundred && ceiling.basis_points > 0,
                              "condense: escalate: the ceiling must be above 0 and at most 100 % (see escalate)");
        detail::reject_unless(is_one_limit(when),
                              "condense: escalate: `when` must compare used with one limit (see escalate)");
        detail::reject_unless(!until.given || is_one_limit(until.at),
                              "condense: escalate: `until` must compare used with one limit (see escalate)");
        detail::reject_unless(is_of_tokens(when),
                              "condense: escalate: `when` must compare used with tokens or a share (see escalate)");
        detail::reject_unless(!until.given || is_of_tokens(until.at),
                              "condense: escalate: `until` must compare used with tokens or a share (see escalate)");
    }

    /// Limits in whole tokens: `line` is the largest count at which `when` does not fire, `target` the largest at which
    /// `until` holds.
    constexpr pressure_schedule schedule(tokens input) const noexcept {
        auto const whole = [](auto const& one, detail::comparison excluded) -> tokens {
            return {one.how == excluded ? detail::sub_capped(one.limit, 1) : one.limit};
        };
        pressure_schedule result{.limit = ceiling.of(input), .passes = passes};
        auto const line = when.bind(input).one();
        result.line = whole(line, detail::comparison::at_least);
        if (until.given) result.target = whole(until.at.bind(input).one(), detail::comparison::below);
        else result.target = {detail::scale_down(line.limit, 4, 5)};
        if constexpr (timed) result.within = detail::as_instant(within);
        return result;
    }

    friend bool operator==(escalate const&, escalate const&) = default;

private:
    static constexpr bool is_one_limit(trigger const& limit) noexcept {
        auto const& one = limit.parts.terms[0];
        return limit.parts.size == 1 && one.of >= detail::subject::tokens && one.of <= detail::subject::turns &&
               one.ceiling == 0;
    }
    static constexpr bool is_of_tokens(trigger const& limit) noexcept {
        return limit.parts.terms[0].of == detail::subject::tokens;
    }
};

}  // namespace v1
}  // namespace condense
