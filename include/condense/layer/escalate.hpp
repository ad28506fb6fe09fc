// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <condense/core/layer.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/slots.hpp>

// Runs the layers before it again, harder each time, while usage is above one line: escalate{.when =
// used >= 90_pct, .passes = 2, .within = 30s}. Always the last layer.

namespace condense {
inline namespace v1 {
namespace detail {

struct no_time_limit {
    friend constexpr bool operator==(no_time_limit, no_time_limit) = default;
};

/// std::chrono durations, without including <chrono>.
template <class Duration>
concept duration_like = requires(Duration const& span) {
    Duration::period::num;
    Duration::period::den;
    span.count();
};

template <duration_like Duration>
constexpr instant as_instant(Duration const& span) noexcept {
    auto const count = span.count() < 0 ? 0 : static_cast<std::uint64_t>(span.count());
    constexpr auto num = static_cast<std::uint64_t>(Duration::period::num);
    constexpr auto den = static_cast<std::uint64_t>(Duration::period::den);
    static_assert(den <= 1'000'000'000u,
                  "condense: escalate: `within` must be a duration of nanoseconds or longer (see escalate)");
    return {mul_capped(mul_capped(count, num), 1'000'000'000u / den)};
}

}  // namespace detail

/// Makes no edits of its own; costs up to `passes` further runs of the layers before it, the last one at
/// the top. Stops at its target, when a pass gains nothing it goes to the top at once. Without `within`
/// it reads no clock. A request above `ceiling` of the input is never said to fit.
template <class Within = detail::no_time_limit>
struct escalate {
    trigger when = used >= percent{9'000};  ///< C7
    target until = {};
    std::uint32_t passes = 2;  ///< C7
    Within within = detail::slot_default<Within>();
    percent ceiling = {9'800};  ///< C7

    static constexpr bool timed = !std::same_as<Within, detail::no_time_limit>;
    static_assert(!timed || detail::duration_like<Within>,
                  "condense: escalate: `within` must be a duration such as 30s (see escalate)");
    static constexpr effect effects = timed ? reruns | reads_clock : reruns;

    constexpr void validate() const {
        detail::check_target(when, until);
        detail::reject_unless(passes > 0 && passes <= 64,
                              "condense: escalate: there must be 1 to 64 passes (see escalate)");
        detail::reject_unless(ceiling.basis_points <= percent::whole && ceiling.basis_points > 0,
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

    constexpr pressure_schedule schedule(tokens input) const noexcept {
        auto const line = when.bind(input).one();
        auto const goal = until.goal(when, input).one();
        pressure_schedule how{.limit = ceiling.of(input), .passes = passes};
        how.line = {line.how == detail::comparison::at_least ? detail::sub_capped(line.limit, 1) : line.limit};
        how.target = {goal.how == detail::comparison::below ? detail::sub_capped(goal.limit, 1) : goal.limit};
        if constexpr (timed) how.within = detail::as_instant(within);
        return how;
    }

    friend bool operator==(escalate const&, escalate const&) = default;

private:
    static constexpr bool is_one_limit(trigger const& given) noexcept {
        auto const& one = given.parts.terms[0];
        return given.parts.size == 1 && one.of >= detail::subject::tokens && one.of <= detail::subject::turns &&
               one.ceiling == 0;
    }
    static constexpr bool is_of_tokens(trigger const& given) noexcept {
        return given.parts.terms[0].of == detail::subject::tokens;
    }
};

}  // namespace v1
}  // namespace condense
