// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/usage.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/unset.hpp>

// When a layer acts, and when it has done enough: used >= 65_pct, used > 100_messages && headroom <
// 20'000_tokens, always. A trigger means the operator that is written.

namespace condense {
inline namespace v1 {

namespace detail {

enum class comparison : std::uint8_t { at_least, above, at_most, below };

constexpr bool compare(std::uint64_t left, comparison how, std::uint64_t right) noexcept {
    switch (how) {
        case comparison::at_least: return left >= right;
        case comparison::above: return left > right;
        case comparison::at_most: return left <= right;
        case comparison::below: break;
    }
    return left < right;
}

constexpr std::string_view spelling(comparison how) noexcept {
    switch (how) {
        case comparison::at_least: return " >= ";
        case comparison::above: return " > ";
        case comparison::at_most: return " <= ";
        case comparison::below: break;
    }
    return " < ";
}

inline std::string spelling(percent share) {
    auto text = std::to_string(share.basis_points / 100);
    if (share.basis_points % 100 != 0) text += "." + std::to_string(share.basis_points % 100 + 100).substr(1);
    return text + " %";
}
inline std::string spelling(tokens count) { return grouped(count.count) + " tokens"; }
inline std::string spelling(messages count) { return grouped(count.count) + " messages"; }
inline std::string spelling(turns count) { return grouped(count.count) + " turns"; }

template <class Quantity>
concept measurable = std::same_as<Quantity, percent> || std::same_as<Quantity, tokens> ||
                     std::same_as<Quantity, messages> || std::same_as<Quantity, turns>;
template <class Quantity>
concept measures_room = std::same_as<Quantity, percent> || std::same_as<Quantity, tokens>;

template <class Quantity>
inline constexpr measure measure_of = std::same_as<Quantity, messages> ? measure::message_count
                                      : std::same_as<Quantity, turns>  ? measure::turn_count
                                                                       : measure::token_count;

constexpr std::uint64_t reading(usage const& now, measure which) noexcept {
    return which == measure::message_count ? now.messages.count
           : which == measure::turn_count  ? now.turns.count
                                           : now.tokens.count;
}

/// A condition whose share, if it had one, has become a count.
struct bound_threshold {
    measure which = measure::token_count;
    comparison how = comparison::at_most;
    std::uint64_t limit = 0;

    constexpr bool operator()(usage const& now) const noexcept { return compare(reading(now, which), how, limit); }
};

}  // namespace detail

/// `used` compared with a quantity.
template <detail::comparison How, class Quantity>
struct threshold {
    static_assert(detail::measurable<Quantity>,
                  "condense: used: a limit must have a unit, such as 90_pct (not 0.9), 20'000_tokens, 100_messages or "
                  "10_turns (see trigger)");

    Quantity limit = {};

    static constexpr bool rises = How == detail::comparison::at_least || How == detail::comparison::above;

    constexpr detail::bound_threshold bind(tokens input) const noexcept {
        if constexpr (std::same_as<Quantity, percent>) {
            constexpr bool up = How == detail::comparison::at_least || How == detail::comparison::below;
            return {measure::token_count, How, (up ? limit.of_rounded_up(input) : limit.of(input)).count};
        } else return {detail::measure_of<Quantity>, How, limit.count};
    }
    constexpr bool due(usage const& now) const noexcept { return bind(now.input)(now); }
    constexpr measure fired(usage const& now) const noexcept {
        return due(now) ? detail::measure_of<Quantity> : measure::none;
    }
    /// Where to go when this fires and the user gave no target: 80 % of the limit.
    constexpr auto target() const noexcept {
        if constexpr (std::same_as<Quantity, percent>)
            return threshold<detail::comparison::at_most, percent>{{limit.basis_points * 4 / 5}};
        else return threshold<detail::comparison::at_most, Quantity>{{detail::scale_down(limit.count, 4, 5)}};
    }
    constexpr messages message_limit() const noexcept {
        if constexpr (std::same_as<Quantity, messages>) return limit;
        else return {};
    }
    std::string text() const { return std::string{"used"}.append(detail::spelling(How)) + detail::spelling(limit); }

    friend constexpr bool operator==(threshold const&, threshold const&) = default;
};

/// `headroom` compared with tokens or a share of the input.
template <detail::comparison How, class Quantity>
struct headroom_threshold {
    static_assert(detail::measures_room<Quantity>,
                  "condense: headroom: a limit must be a share or tokens, such as 10_pct (not 0.1) or 20'000_tokens "
                  "(see trigger)");

    Quantity limit = {};

    struct bound {
        detail::comparison how = How;
        std::uint64_t limit = 0;
        constexpr bool operator()(usage const& now) const noexcept {
            return detail::compare(now.headroom().count, how, limit);
        }
    };
    constexpr tokens resolved(tokens input) const noexcept {
        constexpr bool up = How == detail::comparison::at_least || How == detail::comparison::below;
        if constexpr (std::same_as<Quantity, percent>) return up ? limit.of_rounded_up(input) : limit.of(input);
        else return limit;
    }
    constexpr bound bind(tokens input) const noexcept { return {How, resolved(input).count}; }
    constexpr bool due(usage const& now) const noexcept { return bind(now.input)(now); }
    constexpr measure fired(usage const& now) const noexcept { return due(now) ? measure::token_count : measure::none; }

    /// Usage at most 80 % of what leaves the wanted headroom.
    struct below {
        headroom_threshold from;
        constexpr detail::bound_threshold bind(tokens input) const noexcept {
            return {measure::token_count, detail::comparison::at_most,
                    detail::scale_down((input - from.resolved(input)).count, 4, 5)};
        }
    };
    constexpr below target() const noexcept { return {*this}; }
    constexpr messages message_limit() const noexcept { return {}; }
    std::string text() const { return std::string{"headroom"}.append(detail::spelling(How)) + detail::spelling(limit); }

    friend constexpr bool operator==(headroom_threshold const&, headroom_threshold const&) = default;
};

/// Fires in every run, and is never done.
struct always_t {
    static constexpr bool unconditional = true;
    struct never {
        static constexpr bool unreachable = true;
        constexpr bool operator()(usage const&) const noexcept { return false; }
        constexpr never bind(tokens) const noexcept { return {}; }
    };
    constexpr always_t bind(tokens) const noexcept { return {}; }
    constexpr bool operator()(usage const&) const noexcept { return true; }
    constexpr bool due(usage const&) const noexcept { return true; }
    constexpr measure fired(usage const&) const noexcept { return measure::any; }
    constexpr never target() const noexcept { return {}; }
    constexpr messages message_limit() const noexcept { return {}; }
    std::string text() const { return "always"; }

    friend constexpr bool operator==(always_t, always_t) = default;
};

namespace detail {

template <bool Both, class Left, class Right>
struct bound_pair {
    Left left;
    Right right;
    constexpr bool operator()(usage const& now) const noexcept {
        return Both ? left(now) && right(now) : left(now) || right(now);
    }
};

template <bool Both, class Left, class Right>
struct pair_target {
    Left left;
    Right right;
    constexpr auto bind(tokens input) const noexcept {
        return bound_pair<Both, decltype(left.bind(input)), decltype(right.bind(input))>{left.bind(input),
                                                                                         right.bind(input)};
    }
};

}  // namespace detail

/// Two conditions joined with && or ||.
template <bool Both, class Left, class Right>
struct joined_trigger {
    Left left = detail::slot_default<Left>();
    Right right = detail::slot_default<Right>();

    constexpr auto bind(tokens input) const noexcept {
        return detail::pair_target<Both, Left, Right>{left, right}.bind(input);
    }
    constexpr bool due(usage const& now) const noexcept {
        return Both ? left.due(now) && right.due(now) : left.due(now) || right.due(now);
    }
    constexpr measure fired(usage const& now) const noexcept {
        return due(now) ? left.fired(now) | right.fired(now) : measure::none;
    }
    /// Done when it would not fire any more: either side of a &&, both of a ||.
    constexpr auto target() const noexcept {
        return detail::pair_target<!Both, decltype(left.target()), decltype(right.target())>{left.target(),
                                                                                             right.target()};
    }
    constexpr messages message_limit() const noexcept {
        return left.message_limit().count != 0 ? left.message_limit() : right.message_limit();
    }
    std::string text() const { return "(" + left.text() + (Both ? " && " : " || ") + right.text() + ")"; }

    friend bool operator==(joined_trigger const&, joined_trigger const&) = default;
};

/// Anything that `when` takes.
template <class Trigger>
concept trigger = std::copyable<Trigger> && requires(Trigger const& when, usage const& now, tokens input) {
    { when.due(now) } -> std::same_as<bool>;
    { when.fired(now) } -> std::same_as<measure>;
    { when.bind(input)(now) } -> std::same_as<bool>;
    { when.target().bind(input)(now) } -> std::same_as<bool>;
    { when.message_limit() } -> std::same_as<messages>;
};

template <trigger Left, trigger Right>
constexpr joined_trigger<true, Left, Right> operator&&(Left left, Right right) noexcept {
    return {left, right};
}
template <trigger Left, trigger Right>
constexpr joined_trigger<false, Left, Right> operator||(Left left, Right right) noexcept {
    return {left, right};
}

namespace detail {

template <comparison How, class Quantity>
constexpr Quantity checked(Quantity limit) {
    if constexpr (std::same_as<Quantity, percent>)
        reject_unless(limit.basis_points <= percent::whole,
                      "condense: used: a share must be at most 100 % of the input (see trigger)");
    if constexpr (How == comparison::at_least)
        reject_unless(limit != Quantity{},
                      "condense: used: a limit that is always reached must be written as always (see trigger)");
    return limit;
}

struct used_t {
    template <class Quantity>
    friend constexpr auto operator>=(used_t, Quantity limit) {
        return threshold<comparison::at_least, Quantity>{checked<comparison::at_least>(limit)};
    }
    template <class Quantity>
    friend constexpr auto operator>(used_t, Quantity limit) {
        return threshold<comparison::above, Quantity>{checked<comparison::above>(limit)};
    }
    template <class Quantity>
    friend constexpr auto operator<=(used_t, Quantity limit) {
        return threshold<comparison::at_most, Quantity>{checked<comparison::at_most>(limit)};
    }
    template <class Quantity>
    friend constexpr auto operator<(used_t, Quantity limit) {
        return threshold<comparison::below, Quantity>{checked<comparison::below>(limit)};
    }
};

struct headroom_t {
    template <class Quantity>
    friend constexpr auto operator<(headroom_t, Quantity limit) {
        return headroom_threshold<comparison::below, Quantity>{checked<comparison::below>(limit)};
    }
    template <class Quantity>
    friend constexpr auto operator<=(headroom_t, Quantity limit) {
        return headroom_threshold<comparison::at_most, Quantity>{checked<comparison::at_most>(limit)};
    }
    template <class Quantity>
    friend constexpr auto operator>=(headroom_t, Quantity limit) {
        return headroom_threshold<comparison::at_least, Quantity>{checked<comparison::at_least>(limit)};
    }
    template <class Quantity>
    friend constexpr auto operator>(headroom_t, Quantity limit) {
        return headroom_threshold<comparison::above, Quantity>{checked<comparison::above>(limit)};
    }
};

/// For two conditions without parts; unknown where they do not speak of the same quantity.
template <class When, class Until>
constexpr bool meets(When const&, Until const&) noexcept {
    return false;
}
template <comparison How, comparison Goal, class Quantity>
constexpr bool meets(threshold<How, Quantity> const& when, threshold<Goal, Quantity> const& until) noexcept {
    if constexpr (!threshold<How, Quantity>::rises || threshold<Goal, Quantity>::rises) return true;
    else if (until.limit > when.limit) return true;
    else return until.limit == when.limit && How == comparison::at_least && Goal == comparison::at_most;
}
template <comparison How, comparison Goal, class Quantity>
constexpr bool meets(headroom_threshold<How, Quantity> const& when,
                     headroom_threshold<Goal, Quantity> const& until) noexcept {
    constexpr bool falls = How == comparison::below || How == comparison::at_most;
    constexpr bool rises = Goal == comparison::at_least || Goal == comparison::above;
    if constexpr (!falls || !rises) return true;
    else if (until.limit < when.limit) return true;
    else return until.limit == when.limit && How == comparison::at_most && Goal == comparison::at_least;
}

template <class Trigger>
inline constexpr bool is_joined = false;
template <bool Both, class Left, class Right>
inline constexpr bool is_joined<joined_trigger<Both, Left, Right>> = true;
template <class Trigger>
inline constexpr bool needs_both = false;
template <class Left, class Right>
inline constexpr bool needs_both<joined_trigger<true, Left, Right>> = true;

/// True where `until` can hold while `when` still fires, as far as both speak of the same quantity. A
/// condition around another, which it has as `strictest`, is taken for that one.
template <class When, class Until>
constexpr bool conflicts(When const& when, Until const& until) noexcept {
    if constexpr (is_joined<When>) {
        auto const left = conflicts(when.left, until);
        auto const right = conflicts(when.right, until);
        return needs_both<When> ? left && right : left || right;
    } else if constexpr (is_joined<Until>) {
        auto const left = conflicts(when, until.left);
        auto const right = conflicts(when, until.right);
        return needs_both<Until> ? left && right : left || right;
    } else if constexpr (requires { when.strictest; }) return conflicts(when.strictest, until);
    else if constexpr (requires { until.strictest; }) return conflicts(when, until.strictest);
    else return meets(when, until);
}

}  // namespace detail

/// What the conversation uses: `used >= 65_pct`, `used > 100_messages`.
inline constexpr detail::used_t used{};
/// What is left of the input: `headroom < 20'000_tokens`.
inline constexpr detail::headroom_t headroom{};
/// Fires in every run; where a target is wanted, none is ever reached.
inline constexpr always_t always{};

/// The default of `until`: 80 % of each threshold of `when`.
struct default_target {
    friend constexpr bool operator==(default_target, default_target) = default;
};

// A trigger that waits longer while the provider's prompt cache is in use, because every reduction
// throws what follows it out of there: relaxed(used >= 65_pct, 10_pct).

namespace detail {

template <class Trigger>
inline constexpr bool relaxable = false;
template <comparison How, class Quantity>
inline constexpr bool relaxable<threshold<How, Quantity>> = threshold<How, Quantity>::rises && measures_room<Quantity>;

/// A relaxed condition whose shares have become counts.
struct bound_relaxed {
    bound_threshold strict;
    bound_threshold cached;

    constexpr bool operator()(usage const& now) const noexcept {
        return now.cached != tokens{} ? cached(now) : strict(now);
    }
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
                                                ? by.basis_points
                                                : ceiling.basis_points - later.limit.basis_points;
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
    detail::reject_unless(by.basis_points <= percent::whole,
                          "condense: relaxed: a share must be at most 100 % of the input (see trigger)");
    detail::reject_unless(ceiling.basis_points > 0 && ceiling.basis_points <= percent::whole,
                          "condense: relaxed: the ceiling must be above 0 and at most 100 % (see trigger)");
    return {when, by, ceiling};
}

}  // namespace v1
}  // namespace condense
