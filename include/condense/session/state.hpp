// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/outline_records.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/text.hpp>
#include <condense/session/pacing.hpp>
#include <condense/session/reported_baseline.hpp>
#include <condense/session/statistics.hpp>
#include <condense/session/turn_tracker.hpp>

// All that a session has to know to go on as if it had not stopped, as plain data: session.state(), and in a
// later process session.adopt(state). adapt/json_state.hpp writes it as text.

namespace condense {
inline namespace v1 {

/// Why a state was not taken or not accepted.
enum class state_fault : std::uint8_t {
    none,
    busy,        ///< the session is in a run: try again
    unsavable,   ///< a layer's memory can not be saved
    not_empty,   ///< the session has messages already
    foreign,     ///< of another pipeline, or another conversation
    newer,       ///< written by a later version
    damaged,     ///< not what was saved: torn, changed, or no state at all
    impossible,  ///< no session comes to hold this
    too_large,
    file,        ///< it could not be read or written
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

/// False where all is well. The reason holds nothing of the state, so it may go to a terminal.
struct [[nodiscard]] state_error {
    state_fault fault = state_fault::none;
    detail::small_text<160> reason = {};
    constexpr explicit operator bool() const noexcept { return fault != state_fault::none; }
};

/// Calls that no result will come for, and how many messages there were when that was said: which calls
/// these were depends on it.
struct abandoned_call {
    std::string id = {};
    std::uint64_t messages = 0;
    friend bool operator==(abandoned_call const&, abandoned_call const&) = default;
};

/// What a run or an arrival that can be undone found.
struct undo_point {
    std::uint64_t steps = 0;
    std::uint64_t messages = 0;
    friend bool operator==(undo_point const&, undo_point const&) = default;
};

/// Numbers and texts alone. Whoever hands one in may have made it up: `adopt` believes nothing of it.
/// A template, as `outline` is, so that a program that only includes it instantiates nothing of it.
template <class = void>
struct basic_session_state {
    /// Grows when a member comes or its meaning changes; 2 has the rounds and the cause of the pacing, and the authors
    /// of edits.
    static constexpr std::uint64_t latest = 2;

    std::uint64_t version = latest;
    std::vector<std::string> layers = {};  ///< their names, in the order of the report
    std::string conversation = {};  ///< of the run_options
    budget limits = {};  ///< with a window that was learnt

    std::vector<std::string> messages = {};  ///< the originals that are there, as their traits write them
    std::vector<released_message> released = {};
    std::vector<abandoned_call> abandoned = {};
    std::vector<std::uint64_t> pins = {};  ///< by number, ascending; traits and options are not asked again

    std::vector<view::step> steps = {};
    std::vector<view::replacement> texts = {};
    std::vector<undo_point> undos = {};
    std::uint64_t sent = 0;  ///< messages that some request has held
    tokens cached = {};

    std::uint64_t runs = 0;
    std::uint64_t changed = 0;
    std::vector<layer_statistics> statistics = {};  ///< without names: these are the pipeline's
    std::vector<std::string> memories = {};  ///< of the layers, as they save them

    detail::pace pace = {};
    detail::reported_baseline anchor = {};
    turn_tracker turns = {};
    std::uint64_t latest_job = 0;
    std::string note = {};
    bool unrecorded = false;
    bool overflowed = false;
    bool warned = false;
};

using session_state = basic_session_state<>;

/// A state, or why there is none.
template <class = void>
struct [[nodiscard]] basic_taken_state {
    session_state state = {};
    state_error error = {};
    explicit operator bool() const noexcept { return !error; }
};
using taken_state = basic_taken_state<>;

namespace detail {

/// `condense: restore: <what> must <rule> (see session_state)`.
inline state_error unrestorable(state_fault why, std::string_view what, std::string_view rule) noexcept {
    state_error made{.fault = why, .reason = std::string_view{"condense: restore: "}};
    made.reason += what;
    made.reason += " must ";
    made.reason += rule;
    made.reason += " (see session_state)";
    return made;
}
inline state_error impossible(std::string_view what, std::string_view rule) noexcept {
    return unrestorable(state_fault::impossible, what, rule);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
