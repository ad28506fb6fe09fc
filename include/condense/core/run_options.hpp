// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/redaction.hpp>

// The options of a run: reduce(history, mix, budget, estimator, run_options{.pins = pins_at{{{0}}}}). Clock, stop
// token, pins, pacing and observer, and what a program says of its conversation beside the messages.

namespace condense {
inline namespace v1 {

/// Nanoseconds of the monotonic clock, or of the calendar clock where there is no other. Not std::chrono, as its header
/// is expensive to include.
struct steady_clock {
    instant operator()() const noexcept {
        std::timespec time{};
#if defined(CLOCK_MONOTONIC)
        ::clock_gettime(CLOCK_MONOTONIC, &time);
#else
        static_cast<void>(std::timespec_get(&time, TIME_UTC));
#endif
        return {static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec)};
    }
};

/// When a session runs by itself, so that it neither loops nor calls a model at every message. Shares are of the input.
/// Layers that are due by messages or turns wait for rounds in place of tokens: one round after a run that left them
/// due, twice as many after each further one. A manual run ignores all of this.
struct pacing {
    percent growth = {200};  ///< growth before the next run, after one that left a layer due or gained less than this
    percent asking = {2'500};  ///< growth before a model is called again, and before an open circuit is closed
    std::uint32_t fruitless = 2;  ///< runs in a row without progress that open the circuit: automatic runs then wait

    friend constexpr bool operator==(pacing const&, pacing const&) = default;
};

/// The default observer: receives no events and costs nothing.
struct no_observer {
    friend constexpr bool operator==(no_observer, no_observer) = default;
};

/// The default: nobody asks what leaves the conversation, and nothing is done for it.
struct no_before_drop {
    template <class Leaving>
    constexpr void operator()(Leaving const&) const noexcept {}
    friend constexpr bool operator==(no_before_drop, no_before_drop) = default;
};

/// Never asks to stop.
struct never_stops {
    constexpr bool stop_requested() const noexcept { return false; }
};

/// What the request will be about, for layers that select by it or ask a model. The texts must outlive the run.
struct request_info {
    std::string_view question = {};
    std::string_view focus = {};  ///< what summaries should keep above all
    std::string_view instructions = {};  ///< what a model that summarises is told besides, such as its language
};

/// A run that ignores triggers: `session.run(force{.focus = "the parser", .target = 20'000_tokens})`, for a user's
/// command to compact.
struct force {
    std::string_view focus = {};  ///< what summaries should keep above all; where empty that of `request_info`
    std::optional<tokens> target = {};  ///< where every layer stops, in place of its own `until`
    std::string_view instructions = {};  ///< what a model that summarises is told besides; the same
};

/// The default: no pins beyond those of the messages' traits.
struct no_pins {
    constexpr bool operator()(sequence) const noexcept { return false; }
};

/// Pins by number: run_options{.pins = pins_at{{{0}, {7}}}}. A template, as `outline` is.
template <class = void>
struct basic_pins_at {
    std::vector<sequence> which = {};
    constexpr bool operator()(sequence message_seq) const noexcept {
        for (auto const& candidate : which)
            if (candidate == message_seq) return true;
        return false;
    }
    friend bool operator==(basic_pins_at const&, basic_pins_at const&) = default;
};
using pins_at = basic_pins_at<>;

/// The options of a run. Clock: a callable that returns an `instant`. Stop: has `stop_requested()`, such as
/// std::stop_token. Pins: a predicate on a sequence, a message, or both, called once for each message, and again by
/// `unpin`; pinned messages are never dropped, shortened or moved. Observer: called with what a session does, and by
/// `reduce` with what it truncated. Redactor: takes secrets out of what goes to journals, stores and summarisers, and
/// out of error texts, such as known_secrets{}. BeforeDrop: called with the messages that leave, such as
/// extract_facts{}.
template <class Clock = steady_clock, class Stop = never_stops, class Pins = no_pins, class Observer = no_observer,
          class Redactor = no_redaction, class BeforeDrop = no_before_drop>
struct run_options {
    Clock clock = {};
    Stop stop = {};
    request_info request = {};
    /// Write marks into changed messages, so that a later run recognises the edits and summaries of earlier ones.
    /// Providers refuse messages with members that they do not know: remove the marks before sending.
    bool marks = false;
    /// A session sends neighbouring user messages as one, for chat templates that want user and assistant to
    /// alternate, and counts a frame less for each; a summary then stands in the message of the task. `history()`
    /// stays as it is, and limits in messages or turns count the conversation's own. Needs `shortenable` messages.
    /// `reduce` joins nothing, as a later call would take task and summary for one message: send its result by
    /// `each_alternating`.
    bool alternate = false;
    /// The id by which journals and stores tell conversations apart: those with the same id share one record, so that
    /// no two sessions may use it at the same time.
    std::string conversation = {};
    /// How many messages, from the first on, were sent before, so that a provider may have them in its cache:
    /// `pays_off` weighs that. A session knows it by itself.
    messages sent = {detail::u64_limit};
    /// `stay` where the model binds no part to what stood before it, or its provider was told to drop those whose
    /// beginning has changed: by thinking.block_binding in the request, for Claude. See part_view::bound.
    bound_parts bound = bound_parts::leave;
    Pins pins = {};
    /// When a session runs by itself, and when it waits.
    v1::pacing pacing = {};
    Observer observer = {};
    /// Messages that are sent to the model, and those of a saved state, are left as they are. What it replaces in the
    /// journal and in stores cannot be had back, and reports count it. A journal that was written with another redactor
    /// knows messages with secrets by other names: they are recorded anew.
    Redactor redact = {};
    /// Called with the leaving_messages of a run, once, after its layers and before its edits take effect, so that what
    /// they say can be remembered; with or without a journal. Not in a dry run, and not where nothing leaves. Messages
    /// that come back, by `restore`, `undo` or a result that joins them, are given again when they leave again. Returns
    /// nothing, `failed` or a store_error. A failure, or what it throws, is for the report and the observer alone: the
    /// messages leave all the same. A cancellation ends the run and rolls it back. What it pushes is deferred.
    BeforeDrop before_drop = {};
};

namespace detail {

/// The observer can be called with this event. `Observer` has the constness with which it is called.
template <class Observer, class Event>
concept hears = requires(Observer& observer, Event const& event) { observer(event); };

/// Calls the predicate of the options with as much as it takes.
template <class Options, class Message>
constexpr bool pins(Options const& options, sequence message_seq, Message const& m) {
    using pins_type = decltype(options.pins);
    if constexpr (std::predicate<pins_type const&, sequence, Message const&>) return options.pins(message_seq, m);
    else if constexpr (std::predicate<pins_type const&, sequence>) return options.pins(message_seq);
    else {
        static_assert(std::predicate<pins_type const&, Message const&>,
                      "condense: run_options: pins must be a predicate on a condense::sequence, a message, or both "
                      "(see run_options)");
        return options.pins(m);
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
