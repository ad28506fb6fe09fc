// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <condense/core/usage.hpp>
#include <condense/detail/reject.hpp>
#include <condense/policy/trigger.hpp>

// A trigger that waits longer while the provider's prompt cache is in use, because every reduction
// throws what follows it out of there: relaxed(used >= 65_pct, 10_pct).

namespace condense {
inline namespace v1 {

namespace detail {

template <class Trigger>
inline constexpr bool relaxable = false;
template <comparison How, class Quantity>
inline constexpr bool relaxable<threshold<How, Quantity>> = threshold<How, Quantity>::rises && measures_room<Quantity>;

/// A relaxed condition whose shares have become counts.
struct bound_relaxed {
    bound_threshold strict;
    bound_threshold cached;

    constexpr bool operator()(usage const& now) const noexcept { return now.cached != tokens{} ? cached(now) : strict(now); }
};

}  // namespace detail

/// `strictest`, later by a share of the input while the latest request was read from a cache in part. It is
/// never raised over `ceiling`, and one that is above it already stays where it is. Its target does not move.
template <class Trigger>
struct relaxed_trigger {
    Trigger strictest = {};
    percent by = {1'000};       ///< C11
    percent ceiling = {9'800};  ///< C7

    static_assert(detail::relaxable<Trigger>,
                  "condense: relaxed: the trigger must be used >= or used > with tokens or a share (see trigger)");

    constexpr detail::bound_relaxed bind(tokens input) const noexcept { return {strictest.bind(input), raised(input)}; }
    constexpr bool due(usage const& now) const noexcept { return bind(now.input)(now); }
    constexpr measure fired(usage const& now) const noexcept { return due(now) ? measure::token_count : measure::none; }
    constexpr auto target() const noexcept { return strictest.target(); }
    constexpr messages message_limit() const noexcept { return {}; }
    std::string text() const {
        return "relaxed(" + strictest.text() + ", " + detail::spelling(by) + ", " + detail::spelling(ceiling) + ")";
    }

    friend constexpr bool operator==(relaxed_trigger const&, relaxed_trigger const&) = default;

private:
    constexpr detail::bound_threshold raised(tokens input) const noexcept {
        auto bound = strictest.bind(input);
        if constexpr (requires { strictest.limit.basis_points; }) {  // added before it is rounded, not after
            auto later = strictest;
            if (later.limit < ceiling)
                later.limit.basis_points += by.basis_points < ceiling.basis_points - later.limit.basis_points
                                                ? by.basis_points : ceiling.basis_points - later.limit.basis_points;
            return later.bind(input);
        } else {
            bool const up = bound.how == detail::comparison::at_least;
            auto const share = [&](percent part) { return up ? part.of_rounded_up(input) : part.of(input); };
            auto const later = tokens{bound.limit} + share(by);
            auto const top = share(ceiling);
            auto const limit = later < top ? later : top;
            if (limit.count > bound.limit) bound.limit = limit.count;
            return bound;
        }
    }
};

/// `when`, raised by the share `by` of the input while there are cached tokens, at most to `ceiling`; rows C7, C11.
template <class Trigger>
constexpr relaxed_trigger<Trigger> relaxed(Trigger when, percent by, percent ceiling = {9'800}) {
    detail::reject_unless(by.basis_points <= percent::whole, "condense: relaxed: a share must be at most 100 % of the input (see trigger)");
    detail::reject_unless(ceiling.basis_points > 0 && ceiling.basis_points <= percent::whole,
                          "condense: relaxed: the ceiling must be above 0 and at most 100 % (see trigger)");
    return {when, by, ceiling};
}

}  // namespace v1
}  // namespace condense
