// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/usage.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/unset.hpp>

// When a layer acts, and when it has done enough: used >= 65_pct, used > 100_messages && headroom < 20'000_tokens,
// always, at_turn, relaxed(used >= 65_pct, 10_pct). The operator is meant as written: `>=` includes the limit, `>` does
// not.

namespace condense {
inline namespace v1 {

namespace detail {

/// The bits say how a figure may stand to its limit: 1 below, 2 equal, 4 above. A lookup in place of branches, because
/// each check comes here.
enum class comparison : std::uint8_t { below = 1, at_most = 3, above = 4, at_least = 6 };

constexpr bool compare(std::uint64_t figure, comparison how, std::uint64_t limit) noexcept {
    auto const place = static_cast<unsigned>(figure >= limit) + static_cast<unsigned>(figure > limit);
    return (static_cast<unsigned>(how) >> place & 1u) != 0;
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

/// "65 %", "12.50 %".
inline std::string spelling(percent share) {
    auto text = std::to_string(share.basis_points / 100);
    if (share.basis_points % 100 != 0) text += "." + std::to_string(share.basis_points % 100 + 100).substr(1);
    return text + " %";
}

/// True if it holds above its limit rather than below.
constexpr bool rises(comparison how) noexcept { return (static_cast<unsigned>(how) & 4u) != 0; }
constexpr bool includes_limit(comparison how) noexcept { return (static_cast<unsigned>(how) & 2u) != 0; }

/// Quantities that `headroom` is compared with; `used` also with counts of messages, turns, images and bytes.
template <class Quantity>
concept measures_room = std::same_as<Quantity, percent> || std::same_as<Quantity, tokens>;
template <class Quantity>
concept measurable = measures_room<Quantity> || std::same_as<Quantity, messages> || std::same_as<Quantity, turns> ||
                     std::same_as<Quantity, images> || std::same_as<Quantity, bytes>;

/// The reading that is compared with the limit. `beside_headroom` is the target of a trigger on headroom: used tokens,
/// with half of the input less the limit. `beginning` is of a turn.
enum class subject : std::uint8_t {
    never,
    always,
    beginning,
    tokens,
    messages,
    turns,
    images,
    bytes,
    headroom,
    beside_headroom
};

/// A comparison for one input, its share converted to a count. Checked once for each edit, so it does not divide.
struct bound_threshold {
    subject of = subject::tokens;
    comparison how = comparison::below;
    std::uint64_t limit = 0;
    std::uint64_t cached_limit = 0;  ///< instead, while the latest request was partly read from a prompt cache

    constexpr bool operator()(usage const& now) const noexcept {
        auto const reading = of == subject::tokens      ? now.tokens.count
                             : of == subject::messages  ? now.messages.count
                             : of == subject::turns     ? now.turns.count
                             : of == subject::images    ? now.images.count
                             : of == subject::bytes     ? now.bytes.count
                             : of == subject::beginning ? std::uint64_t{now.begins_turn}
                                                        : now.headroom().count;
        return compare(reading, how, now.cached == tokens{} ? limit : cached_limit);
    }
    friend constexpr bool operator==(bound_threshold const&, bound_threshold const&) = default;
};

/// One comparison as it was written.
struct threshold {
    subject of = subject::never;
    comparison how = comparison::at_least;
    bool share = false;  ///< the limit is in basis points of the input
    std::uint16_t by = 0;  ///< basis points of the input added while requests are cached
    std::uint16_t ceiling = 0;  ///< basis points up to which they are added; 0 if it is not relaxed
    std::uint64_t limit = 0;

    [[gnu::noinline]] constexpr bound_threshold bind(tokens input) const noexcept {  // one copy for all layers
        if (of == subject::never) return {};
        if (of == subject::always) return {subject::tokens, comparison::at_least, 0, 0};
        if (of == subject::beginning) return {of, comparison::at_least, 1, 1};
        auto const count = share ? of_input(limit, input) : limit;
        if (of != subject::beside_headroom) return {of, how, count, ceiling == 0 ? count : raised(count, input)};
        auto const most = sub_capped(input.count, count) / 2;
        return {subject::tokens, comparison::at_most, most, most};
    }
    /// As bind(now.input)(now), without a division in the usual cases: it is called for each layer and
    /// message.
    constexpr bool holds(usage const& now) const noexcept {
        if (of == subject::tokens && share && (ceiling == 0 || now.cached == tokens{}) &&
            (now.tokens.count | now.input.count) >> 48 == 0)  // then no product of basis points is too large
            return compare(now.tokens.count * percent::one_hundred, how, now.input.count * limit);
        if (of == subject::messages) return compare(now.messages.count, how, limit);
        return bind(now.input)(now);
    }
    /// The cause to name when it fires.
    constexpr measure measured() const noexcept {
        switch (of) {
            case subject::never: return measure::none;
            case subject::always: return measure::any;
            case subject::messages: return measure::message_count;
            case subject::turns: return measure::turn_count;
            case subject::images: return measure::image_count;
            case subject::bytes: return measure::byte_count;
            default: return measure::token_count;
        }
    }
    /// Half of a limit in tokens, as each run costs the provider's cache; 80 % of others. At most so much.
    constexpr threshold target() const noexcept {
        if (of < subject::tokens) return {};
        if (of == subject::headroom) return {subject::beside_headroom, how, share, 0, 0, limit};
        return {of, comparison::at_most, share, 0, 0, of == subject::tokens ? limit / 2 : scale_down(limit, 4, 5)};
    }
    std::string text() const {
        if (of == subject::never) return "never";
        if (of == subject::always) return "always";
        if (of == subject::beginning) return "at_turn";
        auto out = std::string{of == subject::beside_headroom ? "used <= 50 % beside headroom"
                               : of == subject::headroom      ? "headroom"
                                                              : "used"}
                       .append(spelling(how));
        out += share ? spelling(percent{static_cast<std::uint32_t>(limit)}) : grouped(limit);
        if (!share)
            out += of == subject::messages ? " messages"
                   : of == subject::turns  ? " turns"
                   : of == subject::images ? " images"
                   : of == subject::bytes  ? " bytes"
                                           : " tokens";
        if (ceiling == 0) return out;
        return "relaxed(" + out + ", " + spelling(percent{by}) + ", " + spelling(percent{ceiling}) + ")";
    }

    friend constexpr bool operator==(threshold const&, threshold const&) = default;

private:
    /// The share in whole tokens, rounded so that comparing whole tokens with it gives what comparing with the exact
    /// share would.
    constexpr std::uint64_t of_input(std::uint64_t basis_points, tokens input) const noexcept {
        percent const part{static_cast<std::uint32_t>(basis_points)};
        bool const up = how == comparison::at_least || how == comparison::below;
        return (up ? part.of_rounded_up(input) : part.of(input)).count;
    }
    /// The limit while requests are cached; never below `count`.
    constexpr std::uint64_t raised(std::uint64_t count, tokens input) const noexcept {
        auto const least = [](std::uint64_t left, std::uint64_t right) { return left < right ? left : right; };
        if (share)  // added before it is rounded, not after
            return limit < ceiling ? of_input(least(limit + by, ceiling), input) : count;
        auto const later = least(add_capped(count, of_input(by, input)), of_input(ceiling, input));
        return later < count ? count : later;
    }
};

/// Up to four terms joined with && and ||, in a fixed size, so that all triggers have one type.
template <class Term>
struct expression {
    static constexpr unsigned most = 4;

    Term terms[most] = {};
    std::uint16_t steps = 1;  ///< in postfix order, two bits each, the first lowest: 1 a term, 2 &&, 3 ||
    std::uint16_t size = 1;

    constexpr expression join(bool both, expression const& right) const {
        reject_unless(size + right.size <= most,
                      "condense: trigger: at most four comparisons may be joined (see trigger)");
        auto out = *this;
        for (unsigned at = 0; at < right.size; ++at) out.terms[size + at] = right.terms[at];
        out.size = static_cast<std::uint16_t>(size + right.size);
        out.steps =
            static_cast<std::uint16_t>(steps | right.steps << (4 * size - 2) | (both ? 2 : 3) << (4 * out.size - 4));
        return out;
    }
    friend constexpr bool operator==(expression const&, expression const&) = default;
};

/// Evaluates an expression: `terms` holds the measures of each term that holds, `measure_bits` each, the first term
/// lowest; 0 is false. The result is the union of those that made it true. Values on the stack take as many.
inline constexpr unsigned measure_bits = 5;
inline constexpr unsigned all_measures = static_cast<unsigned>(measure::any);
constexpr measure joined(unsigned steps, unsigned terms) noexcept {
    unsigned answers = 0;  // the latest lowest
    for (; steps != 0; steps >>= 2) {
        if ((steps & 3) == 1) {
            answers = answers << measure_bits | (terms & all_measures);
            terms >>= measure_bits;
            continue;
        }
        auto const right = answers & all_measures;
        auto const left = answers >> measure_bits & all_measures;
        bool const neither = (steps & 3) == 2 && (left == 0 || right == 0);
        answers = answers >> (2 * measure_bits) << measure_bits | (neither ? 0 : left | right);
    }
    return static_cast<measure>(answers);  // NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): one answer is left
}

/// The steps with && and || exchanged. A target is the negation of its trigger, so it has the opposite operators.
constexpr std::uint16_t opposite(unsigned steps) noexcept {
    return static_cast<std::uint16_t>(steps ^ (steps >> 1 & 0x5555));
}

/// A trigger bound to one input: a predicate on usage. Cheap enough to be asked after each edit.
struct bound_trigger {
    expression<bound_threshold> parts = {};

    [[gnu::noinline]] constexpr bool operator()(usage const& now) const noexcept {
        if (parts.size == 1) return one()(now);
        unsigned terms = 0;
        for (unsigned at = parts.size; at-- > 0;)
            terms = terms << measure_bits | (parts.terms[at](now) ? all_measures : 0);
        return joined(parts.steps, terms) != measure::none;
    }
    /// The first comparison, of most triggers the only one.
    constexpr bound_threshold const& one() const noexcept { return parts.terms[0]; }
    /// The most tokens at which it holds, where tokens alone decide.
    constexpr std::optional<tokens> token_limit() const noexcept {
        if (parts.size != 1 || one().of != subject::tokens || one().cached_limit != one().limit) return {};
        if (one().how == comparison::at_most) return tokens{one().limit};
        if (one().how == comparison::below && one().limit != 0) return tokens{one().limit - 1};
        return {};
    }
    /// This target for one call, which has no later turns to make room for: as many tokens as leave the trigger `when`
    /// a tenth below its limit, but no more than `most`.
    constexpr bound_trigger for_one_call(bound_trigger const& when, tokens most) const noexcept {
        auto out = *this;
        if (unreachable()) return out;
        std::uint64_t raised = 0;
        for (unsigned at = 0; at < when.parts.size; ++at) {
            auto const& term = when.parts.terms[at];
            if (term.of == subject::headroom) return out;
            if (term.of != subject::tokens || !rises(term.how)) continue;
            auto const below = scale_down(term.limit, 9, 10);
            auto const next = below < most.count ? below : most.count;
            if (raised == 0 || next < raised) raised = next;
        }
        for (unsigned at = 0; at < parts.size; ++at) {
            auto& term = out.parts.terms[at];
            if (term.of == subject::tokens && term.limit < raised) term.limit = term.cached_limit = raised;
        }
        return out;
    }
    /// True for the target of `always`, which no usage reaches.
    constexpr bool unreachable() const noexcept {
        return parts.size == 1 && one().how == comparison::below && one().limit == 0;
    }
};

}  // namespace detail

/// Up to four comparisons of usage with limits, joined with && and ||, or `always`; a default one never fires. A value:
/// layers whose triggers differ have one type, and a program may choose a trigger at run time. Costs a few integer
/// comparisons, and allocates only in text().
struct trigger {
    detail::expression<detail::threshold> parts = {};

    /// True if it fires at this usage.
    constexpr bool due(usage const& now) const noexcept {
        if (parts.size == 1) return parts.terms[0].holds(now);
        return fired(now) != measure::none;
    }
    /// The measures that made it fire, for reports; none if it does not.
    [[gnu::noinline]] constexpr measure fired(usage const& now) const noexcept {
        unsigned terms = 0;
        for (unsigned at = parts.size; at-- > 0;)
            terms = terms << detail::measure_bits |
                    (parts.terms[at].holds(now) ? static_cast<unsigned>(parts.terms[at].measured()) : 0);
        return detail::joined(parts.steps, terms);
    }
    /// Shares become counts of this input: once a run, instead of a division for each check.
    [[gnu::noinline]] constexpr detail::bound_trigger bind(tokens input) const noexcept {
        detail::bound_trigger out{{.steps = parts.steps, .size = parts.size}};
        for (unsigned at = 0; at < parts.size; ++at) out.parts.terms[at] = parts.terms[at].bind(input);
        return out;
    }
    /// The target where `until` is not given: half of each limit in tokens, 80 % of others, to be reached on one side
    /// of a && and on both sides of a ||. A relaxed trigger has the same target, or else the cache would decide how
    /// much a reduction removes.
    [[gnu::noinline]] constexpr trigger target() const noexcept {
        trigger out{{.steps = detail::opposite(parts.steps), .size = parts.size}};
        for (unsigned at = 0; at < parts.size; ++at) out.parts.terms[at] = parts.terms[at].target();
        return out;
    }
    /// The first limit in messages, which shares in `protect` are of; 0 if there is none.
    constexpr messages message_limit() const noexcept {
        for (auto const& one : parts.terms)
            if (one.of == detail::subject::messages && one.limit != 0) return {one.limit};
        return {};
    }
    constexpr bool is_always() const noexcept {
        return parts.size == 1 && parts.terms[0].of == detail::subject::always;
    }
    /// As it would be written: "(used >= 65 % || used > 100 messages)".
    std::string text() const {
        std::string answers[decltype(parts)::most];
        unsigned count = 0;
        unsigned next = 0;
        for (unsigned steps = parts.steps; steps != 0; steps >>= 2) {
            if ((steps & 3) == 1) answers[count++] = parts.terms[next++].text();
            else {
                --count;
                answers[count - 1] =
                    "(" + answers[count - 1] + ((steps & 3) == 2 ? " && " : " || ") + answers[count] + ")";
            }
        }
        return answers[0];
    }

    friend constexpr trigger operator&&(trigger const& left, trigger const& right) {
        return {left.parts.join(true, right.parts)};
    }
    friend constexpr trigger operator||(trigger const& left, trigger const& right) {
        return {left.parts.join(false, right.parts)};
    }
    friend constexpr bool operator==(trigger const&, trigger const&) = default;
};

/// Anything that `when` takes: a trigger, or a type of your own with
///
///     bool due(usage const&) const           true if it fires; noexcept, asked for each layer and message
///     measure fired(usage const&) const      what made it fire, for reports; measure::none if it does not
///     auto target() const                    a value whose bind(tokens input) returns a predicate on usage: where the
///                                            layer stops if `until` is not given
///     messages message_limit() const         what shares in `protect` are of; 0 for the input
template <class When>
concept condition = std::copyable<When> && requires(When const& when, usage const& now, tokens input) {
    { when.due(now) } -> std::same_as<bool>;
    { when.fired(now) } -> std::same_as<measure>;
    { when.target().bind(input)(now) } -> std::same_as<bool>;
    { when.message_limit() } -> std::same_as<messages>;
};

/// Two conditions joined with && or ||, at least one of them a type of your own; two triggers make a trigger.
template <bool Both, class Left, class Right>
struct joined_condition {
    Left left = detail::slot_default<Left>();
    Right right = detail::slot_default<Right>();

    constexpr bool due(usage const& now) const noexcept {
        return Both ? left.due(now) && right.due(now) : left.due(now) || right.due(now);
    }
    constexpr measure fired(usage const& now) const noexcept {
        return due(now) ? left.fired(now) | right.fired(now) : measure::none;
    }
    constexpr auto target() const noexcept {
        return joined_condition<!Both, decltype(left.target()), decltype(right.target())>{left.target(),
                                                                                          right.target()};
    }
    constexpr auto bind(tokens input) const noexcept {
        return [one = left.bind(input), other = right.bind(input)](usage const& now) {
            return Both ? one(now) && other(now) : one(now) || other(now);
        };
    }
    constexpr messages message_limit() const noexcept {
        return left.message_limit().count != 0 ? left.message_limit() : right.message_limit();
    }
    friend bool operator==(joined_condition const&, joined_condition const&) = default;
};

/// Fires when both do.
template <condition Left, condition Right>
constexpr joined_condition<true, Left, Right> operator&&(Left left, Right right) noexcept {
    return {left, right};
}
/// Fires when one of them does.
template <condition Left, condition Right>
constexpr joined_condition<false, Left, Right> operator||(Left left, Right right) noexcept {
    return {left, right};
}

namespace detail {

/// The left side of a comparison: `headroom` if Room, else `used`.
template <bool Room>
struct operand {
    template <class Quantity>
    friend constexpr trigger operator>=(operand, Quantity limit) {
        return compared(comparison::at_least, limit);
    }
    template <class Quantity>
    friend constexpr trigger operator>(operand, Quantity limit) {
        return compared(comparison::above, limit);
    }
    template <class Quantity>
    friend constexpr trigger operator<=(operand, Quantity limit) {
        return compared(comparison::at_most, limit);
    }
    template <class Quantity>
    friend constexpr trigger operator<(operand, Quantity limit) {
        return compared(comparison::below, limit);
    }

private:
    template <class Quantity>
    static constexpr trigger compared(comparison how, Quantity limit) {
        static_assert(Room || measurable<Quantity>,
                      "condense: used: a limit must have a unit, such as 90_pct (not 0.9), 20'000_tokens, 100_messages "
                      "or 10_turns (see trigger)");
        static_assert(!Room || measures_room<Quantity>,
                      "condense: headroom: a limit must be a share or tokens, such as 10_pct (not 0.1) or "
                      "20'000_tokens (see trigger)");
        threshold out{.of = Room                               ? subject::headroom
                            : std::same_as<Quantity, messages> ? subject::messages
                            : std::same_as<Quantity, turns>    ? subject::turns
                            : std::same_as<Quantity, images>   ? subject::images
                            : std::same_as<Quantity, bytes>    ? subject::bytes
                                                               : subject::tokens,
                      .how = how,
                      .share = std::same_as<Quantity, percent>};
        if constexpr (std::same_as<Quantity, percent>) {
            reject_unless(limit.basis_points <= percent::one_hundred,
                          "condense: used: a share must be at most 100 % of the input (see trigger)");
            out.limit = limit.basis_points;
        } else if constexpr (measurable<Quantity>) out.limit = limit.count;
        reject_unless(how != comparison::at_least || out.limit != 0,
                      "condense: used: a limit that is always reached must be written as always (see trigger)");
        return {{.terms = {out}}};
    }
};

/// True if `until` can hold while `when` still fires, so that a layer would stop and be due again at once. Compares
/// only limits of the same quantity; of a relaxed trigger the limit that it has without a cache.
constexpr bool conflicts(threshold const& when, threshold const& until) noexcept {
    if (when.of != until.of || when.share != until.share || when.of < subject::tokens) return false;
    bool const room = when.of == subject::headroom;  // falls where the others rise
    if (rises(when.how) == room || rises(until.how) != room) return true;
    if (when.limit == until.limit) return includes_limit(when.how) && includes_limit(until.how);
    return room == (until.limit < when.limit);
}
/// For whole expressions: true if some of the conflicting pairs of comparisons satisfy both.
constexpr bool conflicts(trigger const& when, trigger const& until) noexcept {
    unsigned all = 0;
    for (unsigned at = when.parts.size; at-- > 0;) {
        unsigned of_one = 0;
        for (unsigned goal = until.parts.size; goal-- > 0;)
            of_one =
                of_one << measure_bits | (conflicts(when.parts.terms[at], until.parts.terms[goal]) ? all_measures : 0);
        all = all << measure_bits | (joined(until.parts.steps, of_one) != measure::none ? all_measures : 0);
    }
    return joined(when.parts.steps, all) != measure::none;
}

}  // namespace detail

/// The size of the request: `used >= 65_pct` of the input, `used > 20'000_tokens`, `used > 100_messages`,
/// `used > 20_turns`; for limits of providers on media and on bodies `used > 50_images`, `used > 30_MB`.
inline constexpr detail::operand<false> used{};
/// The rest of the input: `headroom < 20'000_tokens`, `headroom < 10_pct`.
inline constexpr detail::operand<true> headroom{};
/// Fires in every run, and on each arrival for layers that act then. Its target is never reached.
inline constexpr trigger always{{.terms = {{.of = detail::subject::always}}}};
/// Fires at the beginning of a turn, when the newest message is a plain one of the user: `at_turn && used >= 60_pct ||
/// used >= 90_pct` waits for it while there is room for the turn that runs.
inline constexpr trigger at_turn{{.terms = {{.of = detail::subject::beginning}}}};
/// Fires in no run: the layer acts under pressure, and when `session.run(force{})` asks every layer.
inline constexpr trigger never{};

/// The type of `until`: a trigger that holds when the layer has done enough, `used <= 50_pct`. By default half of each
/// limit of `when` in tokens, and 80 % of others; in one call of `reduce` up to 65 % of the input. Converts from
/// trigger, so that a layer's member accepts the comparison itself.
struct target {
    trigger at = {};
    bool given = false;
    bool for_session = false;  ///< one call may stop earlier, as it does without a target

    constexpr target() = default;
    template <class Given>
    constexpr target(Given const& goal) : given{true} {
        static_assert(std::same_as<Given, trigger>,
                      "condense: until: it must be a target such as used <= 50_pct (see trigger)");
        if constexpr (std::same_as<Given, trigger>) at = goal;
    }

    /// A predicate on usage: true if a layer with this `when` has done enough. One call stops at 65 % of the input,
    /// unless a target is given: depth saves the prompt cache of later turns, and it has none.
    constexpr detail::bound_trigger goal(trigger const& when, tokens input, bool one_call = false) const noexcept {
        auto const goal = given ? at.bind(input) : when.target().bind(input);
        return one_call && (!given || for_session) ? goal.for_one_call(when.bind(input), percent{6'500}.of(input))
                                                   : goal;
    }
    template <condition When>
    constexpr auto goal(When const& when, tokens input, bool = false) const noexcept {
        return [this_one = at.bind(input), that_of_when = when.target().bind(input), own = given](usage const& now) {
            return own ? this_one(now) : that_of_when(now);
        };
    }
    friend constexpr bool operator==(target const&, target const&) = default;
};

/// `.until = for_session(used <= 20_pct)`: a target for conversations that go on. One call of `reduce` stops as early
/// as it does without a target.
constexpr target for_session(trigger const& goal) noexcept {
    target result{goal};
    result.for_session = true;
    return result;
}

/// `when` with its limit raised by the share `by` of the input, at most to `ceiling`, while the provider reads requests
/// from its prompt cache: a reduction evicts all that follows it from there, so it should come later. A limit already
/// above `ceiling` stays. The default ceiling is that of `escalate`.
constexpr trigger relaxed(trigger when, percent by, percent ceiling = {9'800}) {
    auto& one = when.parts.terms[0];
    detail::reject_unless(
        when.parts.size == 1 && one.of == detail::subject::tokens && detail::rises(one.how) && one.ceiling == 0,
        "condense: relaxed: the trigger must be used >= or used > with tokens or a share (see trigger)");
    detail::reject_unless(by.basis_points <= percent::one_hundred,
                          "condense: relaxed: a share must be at most 100 % of the input (see trigger)");
    detail::reject_unless(ceiling.basis_points > 0 && ceiling.basis_points <= percent::one_hundred,
                          "condense: relaxed: the ceiling must be above 0 and at most 100 % (see trigger)");
    one.by = static_cast<std::uint16_t>(by.basis_points);
    one.ceiling = static_cast<std::uint16_t>(ceiling.basis_points);
    return when;
}

}  // namespace v1
}  // namespace condense
