// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <condense/core/handles.hpp>
#include <condense/core/report.hpp>
#include <condense/core/run_options.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/text.hpp>

// The events of a session. An observer is a callable on those events that it wants, such as
// [](condense::events::reduced const& event) { … }; no code is generated for the others.

namespace condense {
inline namespace v1 {

/// Each has `text()`: one line of figures and fixed words, of at most `longest` bytes. Nothing in it comes from a
/// message or a model, so it may go to a terminal.
namespace events {

inline constexpr std::size_t longest = 320;

/// A message was pushed.
struct arrived {
    sequence at = {};  ///< its number
    tokens cost = {};  ///< with its frame, after the layers that act on arrival
    usage now = {};    ///< with the message

    std::string text() const {
        return "arrived: message " + detail::grouped(at.number) + ", " + detail::grouped(cost.count) + " tokens; " +
               usage_line(now);
    }
    friend constexpr bool operator==(arrived const&, arrived const&) = default;
};

/// Some layer's trigger fires: a reduction is due.
struct due {
    usage now = {};

    std::string text() const { return "due: " + usage_line(now); }
    friend constexpr bool operator==(due const&, due const&) = default;
};

/// A run has ended; it may have changed nothing.
struct reduced {
    v1::outcome outcome = v1::outcome::fits;
    usage before = {};
    usage after = {};
    std::uint32_t layers_applied = 0;
    std::uint32_t parts_shortened = 0;
    std::uint32_t groups_dropped = 0;  ///< dropped or summarised
    bool manual = false;               ///< asked for by the program, not by a trigger

    std::string text() const {
        return std::string{manual ? "reduced on request: " : "reduced: "}.append(name(outcome)) + ", " +
               detail::grouped(before.tokens.count) + " -> " + detail::grouped(after.tokens.count) + " of " +
               detail::grouped(after.input.count) + " tokens, " + detail::grouped(before.messages.count) + " -> " +
               detail::grouped(after.messages.count) + " messages; layers applied " + detail::grouped(layers_applied) +
               ", parts shortened " + detail::grouped(parts_shortened) + ", groups dropped " +
               detail::grouped(groups_dropped);
    }
    friend constexpr bool operator==(reduced const&, reduced const&) = default;
};

/// A run has taken more out of the prompt cache than out of the request.
struct cache_broken {
    sequence from = {};  ///< the first message that the run has changed
    tokens reread = {};  ///< tokens that are sent again and have to be read anew
    tokens saved = {};

    std::string text() const {
        return "cache broken: from message " + detail::grouped(from.number) + " on, " + detail::grouped(reread.count) +
               " tokens have to be read anew, " + detail::grouped(saved.count) + " were saved";
    }
    friend constexpr bool operator==(cache_broken const&, cache_broken const&) = default;
};

/// The request fills 80 % of the input and no reduction has helped. Sent once, and again only after the use was below
/// that.
struct near_limit {
    usage now = {};

    std::string text() const { return "near the limit: " + usage_line(now); }
    friend constexpr bool operator==(near_limit const&, near_limit const&) = default;
};

/// Runs are suspended because they make no progress, or resumed.
struct circuit {
    bool open = false;
    std::uint32_t ineffective = 0;  ///< runs in a row without progress

    std::string text() const {
        return std::string{open ? "circuit open" : "circuit closed"} + ": runs without progress " +
               detail::grouped(ineffective);
    }
    friend constexpr bool operator==(circuit const&, circuit const&) = default;
};

/// The provider reported no usage for a turn, so estimates are used.
struct usage_missing {
    std::uint64_t turn = 0;

    std::string text() const { return "no usage reported: turn " + detail::grouped(turn) + " is estimated"; }
    friend constexpr bool operator==(usage_missing const&, usage_missing const&) = default;
};

/// The provider counted less than half of what was sent: a server that drops the oldest in silence, or a wrong
/// estimator.
struct usage_low {
    tokens reported = {};  ///< with what the provider says that it has cleared
    tokens estimated = {};

    std::string text() const {
        return "the request may have been cut: " + detail::grouped(reported.count) + " tokens were counted of about " +
               detail::grouped(estimated.count);
    }
    friend constexpr bool operator==(usage_low const&, usage_low const&) = default;
};

/// The provider refused a request as too long, or stopped an answer at the end of the window.
struct overflow {
    tokens limit = {};      ///< as the provider names it; 0 if it does not
    tokens requested = {};  ///< the size of the request as the provider counted it; 0 if it does not name it

    std::string text() const {
        std::string out = "overflow";
        if (requested != tokens{}) out += ": " + detail::grouped(requested.count) + " tokens were sent";
        if (limit != tokens{})
            out += std::string{requested == tokens{} ? ": " : ", "} + "the provider's limit is " +
                   detail::grouped(limit.count) + " tokens";
        return out;
    }
    friend constexpr bool operator==(overflow const&, overflow const&) = default;
};

}  // namespace events

namespace detail {

template <class Observer, class... Event>
inline constexpr bool hears_any = (hears<Observer, Event> || ...);

}  // namespace detail

/// A callable that takes at least one of the events, or no_observer: a misspelt event is an error, not silence.
template <class Observer>
concept event_observer =
    std::same_as<std::remove_const_t<Observer>, no_observer> ||
    detail::hears_any<Observer, events::arrived, events::due, events::truncated, events::before_drop_failed,
                      events::reduced, events::cache_broken, events::near_limit, events::circuit, events::usage_missing,
                      events::usage_low, events::overflow>;

namespace detail {

template <class Observer>
constexpr void check_observer() {
    static_assert(event_observer<Observer>,
                  "condense: session: the observer must be callable with an event, such as condense::events::reduced "
                  "(see event_observer)");
}

/// Calls the observer with an event that exists already. To be called once the change that it reports is complete: an
/// observer's exception propagates, and nothing is rolled back for it.
template <class Observer, class Event>
constexpr void tell(Observer& observer, Event const& event) {
    check_observer<Observer>();
    if constexpr (hears<Observer, Event>) static_cast<void>(observer(event));
}

/// Makes the event only if the observer takes it: tell_lazily<events::due>(observer, [&] { return events::due{used()};
/// }).
template <class Event, class Observer, class Make>
constexpr void tell_lazily(Observer& observer, Make&& make) {
    check_observer<Observer>();
    if constexpr (hears<Observer, Event>) {
        Event const event = make();
        static_cast<void>(observer(event));
    }
}

}  // namespace detail

}  // namespace v1
}  // namespace condense
