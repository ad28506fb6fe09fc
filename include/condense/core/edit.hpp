// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/handles.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/store.hpp>

// One change to what is sent, and why a change is refused.

namespace condense {
inline namespace v1 {

enum class edit_kind : std::uint8_t { shorten, externalize, remove, summarize, drop, restore, repair };

/// Why the draft did not take an edit; false when it did.
struct [[nodiscard]] refusal {
    enum reason : std::uint8_t {
        none,
        system,       ///< a system message
        pinned,       ///< a pin
        open,         ///< a call still waits, or the newest round goes on
        latest_user,  ///< the latest plain user message
        latest_answer,  ///< what was answered last to it goes no sooner
        task,         ///< the first plain user message is never shortened
        sealed,       ///< signed or opaque: whole or gone
        pair,         ///< a call, a result, or all that joins a message to them, goes with its group only
        turn,         ///< a user message keeps a word of the user's
        not_json,     ///< arguments stay JSON
        not_smaller,  ///< the edit would not save anything
        gone,         ///< it is not there any more
        last,         ///< nothing but system messages would be left
        no_room,      ///< a restored message would not fit the budget
    };
    reason why = none;
    v1::cost from = {};  ///< of `not_smaller`: what stands there
    v1::cost to = {};    ///< and what would stand in its place

    constexpr refusal(reason cause) noexcept : why{cause} {}
    /// Not smaller: `to` is no less than `from`.
    constexpr refusal(v1::cost stands, v1::cost wanted) noexcept : why{not_smaller}, from{stands}, to{wanted} {}
    constexpr explicit operator bool() const noexcept { return why != none; }
    friend constexpr bool operator==(refusal left, refusal right) noexcept { return left.why == right.why; }
};

constexpr std::string_view name(refusal refused) noexcept {
    switch (refused.why) {
        case refusal::none: return "none";
        case refusal::system: return "system message";
        case refusal::pinned: return "pinned";
        case refusal::open: return "open group";
        case refusal::latest_user: return "latest user message";
        case refusal::latest_answer: return "latest answer";
        case refusal::task: return "first user message";
        case refusal::sealed: return "sealed part";
        case refusal::pair: return "part of a pair";
        case refusal::turn: return "all that the user said";
        case refusal::not_json: return "not JSON";
        case refusal::not_smaller: return "not smaller";
        case refusal::gone: return "gone";
        case refusal::last: return "last group";
        case refusal::no_room: break;
    }
    return "no room";
}

namespace detail {

/// The text that an edit put in place of a part or of groups.
struct view_replacement {
    std::string text;
    reference stored = {};
};
struct view_step {
    edit_kind kind = edit_kind::drop;
    bool on_part = false;
    std::uint16_t author =
        0;  ///< of an edit of a part: the layer's place in the report, plus one; 0 where no layer made it
    std::uint32_t target = 0;    ///< a part's part_id, or a group's index
    std::uint32_t previous = 0;  ///< the step whose place it takes, plus one
    std::uint32_t text = none32;
    v1::cost before = {};
    v1::cost after = {};
};

/// What a view, or a piece of it, counts for.
struct view_totals {
    v1::cost cost = {};
    std::uint64_t messages = 0;
    std::uint64_t turns = 0;

    constexpr view_totals& operator+=(view_totals const& more) noexcept {
        cost += more.cost;
        messages += more.messages;
        turns += more.turns;
        return *this;
    }
    constexpr view_totals& operator-=(view_totals const& less) noexcept {
        cost -= less.cost;
        messages -= less.messages;
        turns -= less.turns;
        return *this;
    }
    friend constexpr bool operator==(view_totals const&, view_totals const&) = default;
};

/// What a view keeps of a part.
struct view_part {
    std::uint32_t edit = 0;    ///< the step in force, plus one
    std::uint32_t answer = 0;  ///< of a call: the step that answers it, plus one
};
/// And of a group.
struct view_group {
    v1::cost cost = {};          ///< of its messages and answers, present or not
    std::uint32_t messages = 0;  ///< the same; 0 where the group_id holds no group, or one that has joined another
    std::uint32_t turns = 0;
    std::uint32_t answers = 0;
    std::uint32_t dropped = 0;  ///< the step that took it out, plus one
    std::uint32_t summary = 0;  ///< the step that wrote the summary before it, plus one

    constexpr bool present() const noexcept { return dropped == 0 && messages != 0; }
    constexpr view_totals all() const noexcept { return {cost, messages, turns}; }
    constexpr void add(v1::cost more, std::uint32_t plain_users) noexcept {
        cost += more;
        ++messages;
        turns += plain_users;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
