// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/clock.hpp>
#include <condense/core/group.hpp>
#include <condense/core/observer.hpp>
#include <condense/core/pacing.hpp>
#include <condense/core/quantity.hpp>

// The seams of a run, and what a program says of its conversation beside the messages:
// reduce(history, mix, budget, estimator, run_options{.pins = pins_at{{{0}}}}).

namespace condense {
inline namespace v1 {

/// Never asks to stop.
struct never_stops {
    constexpr bool stop_requested() const noexcept { return false; }
};

/// What the present question is, for layers that select by it.
struct request_info {
    std::string_view question = {};
    std::string_view focus = {};
};

/// A run whatever the triggers say: `session.run(force{.focus = "the parser", .target = 20'000_tokens})`. Row D12.
struct force {
    std::string_view focus = {};       ///< what summaries keep above all; else as in `request_info`
    std::optional<tokens> target = {};  ///< where every layer stops, in place of its own `until`
};

/// Pins beside those of the messages' traits: none.
struct no_pins {
    constexpr bool operator()(sequence) const noexcept { return false; }
};

/// Pins by number: run_options{.pins = pins_at{{{0}, {7}}}}. A template, as `outline` is.
template <class = void>
struct basic_pins_at {
    std::vector<sequence> which = {};
    constexpr bool operator()(sequence asked) const noexcept {
        for (auto const& each : which)
            if (each == asked) return true;
        return false;
    }
    friend bool operator==(basic_pins_at const&, basic_pins_at const&) = default;
};
using pins_at = basic_pins_at<>;

/// The seams of a run. Clock: a callable returning `instant`. Stop: has `stop_requested()`, such as
/// std::stop_token. Pins: a predicate on a sequence, a message, or both, asked once a message; what it
/// pins is never dropped, shortened or moved. Observer: is told what a session does, and by
/// `reduce` what it has truncated.
template <class Clock = steady_clock, class Stop = never_stops, class Pins = no_pins, class Observer = no_observer>
struct run_options {
    Clock clock = {};
    Stop stop = {};
    request_info request = {};
    /// Write marks into changed messages, so that a later run knows its own earlier work. Providers
    /// refuse messages with members they do not know: take the marks out before sending.
    bool marks = false;
    /// By which journals tell conversations apart: those with the same id share one record.
    std::string conversation = {};
    /// How many of the first messages some request has held already, for what `pays_off` computes; a
    /// session knows by itself.
    messages sent = {detail::u64_limit};
    Pins pins = {};
    /// When a session runs by itself, and when it waits.
    v1::pacing pacing = {};
    Observer observer = {};
};

namespace detail {

template <class Options, class Message>
constexpr bool pins(Options const& options, sequence at, Message const& m) {
    using asked = decltype(options.pins);
    if constexpr (std::predicate<asked const&, sequence, Message const&>) return options.pins(at, m);
    else if constexpr (std::predicate<asked const&, sequence>) return options.pins(at);
    else {
        static_assert(std::predicate<asked const&, Message const&>,
                      "condense: run_options: pins must be a predicate on a condense::sequence, a message, or both (see run_options)");
        return options.pins(m);
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
