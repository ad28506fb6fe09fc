// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/outline_records.hpp>
#include <condense/core/saved_edits.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/text.hpp>
#include <condense/session/pacing.hpp>
#include <condense/session/reported_baseline.hpp>
#include <condense/session/statistics.hpp>
#include <condense/session/turn_tracker.hpp>

// Everything that a session needs to go on in a later process, as plain data: session.state(), and there
// session.adopt(state). adapt/json_state.hpp writes it as text.

namespace condense {
inline namespace v1 {

/// Why a state was not saved or not restored.
enum class state_fault : std::uint8_t {
    none,
    busy,        ///< the session is in a run: try again
    unsavable,   ///< a layer's memory can not be saved
    not_empty,   ///< the session has messages already
    foreign,     ///< of another pipeline, or another conversation
    newer,       ///< written by a later version of the library
    damaged,     ///< not what was saved: torn, changed, or no state at all
    impossible,  ///< well-formed, but no session can have this state
    too_large,   ///< larger than the limit of the reader
    file,        ///< the file could not be read or written
};

constexpr std::string_view name(state_fault which) noexcept {
    switch (which) {
        case state_fault::none: return "none";
        case state_fault::busy: return "busy";
        case state_fault::unsavable: return "unsavable";
        case state_fault::not_empty: return "not empty";
        case state_fault::foreign: return "foreign";
        case state_fault::newer: return "newer";
        case state_fault::damaged: return "damaged";
        case state_fault::impossible: return "impossible";
        case state_fault::too_large: return "too large";
        case state_fault::file: break;
    }
    return "file";
}

/// Converts to false if there is no error. The reason holds nothing of the state, so it may go to a terminal.
struct [[nodiscard]] state_error {
    state_fault fault = state_fault::none;
    detail::small_text<160> reason = {};
    constexpr explicit operator bool() const noexcept { return fault != state_fault::none; }
};

/// An id of calls whose result will not come, and the number of messages when that was declared: later calls may have
/// the same id.
struct abandoned_call {
    std::string id = {};
    std::uint64_t messages = 0;
    friend bool operator==(abandoned_call const&, abandoned_call const&) = default;
};

/// The place to which an undo goes back.
struct undo_point {
    std::uint64_t edits = 0;     ///< made before the run or arrival
    std::uint64_t messages = 0;  ///< messages at the time; later ones stay
    friend bool operator==(undo_point const&, undo_point const&) = default;
};

/// In states of earlier versions: in place of the edits, and of the record of what was released.
struct earlier_edits {
    std::vector<released_message> released = {};
    std::vector<view::step> steps = {};  ///< targets are numbers of parts and groups, counted from the beginning
    std::vector<view::replacement> texts = {};
};

/// Numbers and texts alone. It may have been forged since it was saved: `adopt` checks all of it. A template, so that a
/// program that only includes this instantiates nothing.
template <class = void>
struct basic_session_state {
    /// The version of the format, which grows when a member is added or changes its meaning. Version 1 lacks the rounds
    /// and the cause of the pacing, the files of the statistics, and the authors of edits; version 2 the redactions;
    /// version 3 the usage of models; version 4 what is known of bound parts; version 5 the task that was named, and
    /// whether a last resort has taken it; version 6 edits by message and part, in place of which it has steps and
    /// records of released messages.
    static constexpr std::uint64_t latest = 7;

    std::uint64_t version = latest;
    std::vector<std::string> layers = {};  ///< names, in the order of the report
    std::string conversation = {};  ///< the id in run_options
    budget limits = {};  ///< with a window that was learnt from an overflow

    std::vector<std::string> messages = {};  ///< the originals, without those released, as their traits write them
    std::vector<std::uint64_t> numbers = {};  ///< of these, ascending; empty where none was released
    std::uint64_t size = 0;  ///< messages so far, with those released
    release_record released = {};
    std::vector<abandoned_call> abandoned = {};  ///< in the order in which they were abandoned
    std::vector<std::uint64_t> pins = {};  ///< by number, ascending; pins of traits and options are not evaluated again

    std::vector<saved_edit> edits = {};  ///< all, also those that later ones replace
    std::vector<undo_point> undos = {};  ///< ascending
    std::uint64_t sent = 0;  ///< some request has held this many first messages
    tokens cached = {};  ///< the latest figure of tokens read from the prompt cache

    std::uint64_t runs = 0;  ///< of the whole pipeline
    std::uint64_t changed = 0;  ///< runs that changed the request
    provider_usage agent_usage = {};  ///< of the answers to requests
    std::vector<layer_statistics> statistics = {};  ///< without names, which are the pipeline's
    std::vector<std::string> memories = {};  ///< of the layers, then of the estimator, as they save them

    detail::pace pace = {};
    detail::reported_baseline anchor = {};
    turn_tracker turns = {};
    std::uint64_t latest_job = 0;  ///< number of summary jobs so far
    std::string note = {};  ///< why the latest commit was declined
    bool unrecorded = false;  ///< a journal may be behind
    bool overflowed = false;  ///< a request has overflowed since the latest message
    bool edited_since_sent = false;  ///< what the latest request held
    bool binds = true;  ///< bound parts leave with what stood before them, as the options or the latest model say
    std::uint64_t task = 0;  ///< the number of the message that was named as the task, plus 1; 0 where none was
    bool task_taken = false;  ///< a last resort has taken it out
    bool settled = false;  ///< the latest run has left the task out, or media over the budget, and nothing is new
    std::uint64_t model = 0;  ///< a hash of its name; 0 where none was set
    bool warned = false;  ///< the observer knows that the request is nearly full

    earlier_edits earlier = {};  ///< empty in the latest version
};

using session_state = basic_session_state<>;

/// A state, or the error; converts to true for a state.
template <class = void>
struct [[nodiscard]] basic_taken_state {
    session_state state = {};
    state_error error = {};
    explicit operator bool() const noexcept { return !error; }
};
using taken_state = basic_taken_state<>;

namespace detail {

/// `condense: restore: <what> must <rule> (see session_state)`.
inline state_error unrestorable(state_fault fault, std::string_view what, std::string_view rule) noexcept {
    state_error error{.fault = fault, .reason = std::string_view{"condense: restore: "}};
    error.reason += what;
    error.reason += " must ";
    error.reason += rule;
    error.reason += " (see session_state)";
    return error;
}
inline state_error impossible(std::string_view what, std::string_view rule) noexcept {
    return unrestorable(state_fault::impossible, what, rule);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
