// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/handles.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/store.hpp>

// One change to what is sent, why a change is refused, and the records by which a view keeps its changes.

namespace condense {
inline namespace v1 {

/// What an edit does. Of a part: `shorten`, `externalize`, `remove`, `repair` (writes or withdraws the result of a
/// call); of a group: `summarize`, `drop`; of either: `restore`, which undoes an earlier one.
enum class edit_kind : std::uint8_t { shorten, externalize, remove, summarize, drop, restore, repair };

/// As saved states name it.
constexpr std::string_view name(edit_kind which) noexcept {
    switch (which) {
        case edit_kind::shorten: return "shorten";
        case edit_kind::externalize: return "externalize";
        case edit_kind::remove: return "remove";
        case edit_kind::summarize: return "summarize";
        case edit_kind::drop: return "drop";
        case edit_kind::restore: return "restore";
        case edit_kind::repair: break;
    }
    return "repair";
}

/// Why the draft refused an edit; converts to false where it accepted it. Must not be ignored.
struct [[nodiscard]] refusal {
    enum reason : std::uint8_t {
        none,
        system,       ///< a system message
        pinned,       ///< a pin
        open,         ///< a call still waits for its result, or no answer follows the newest round of calls
        latest_user,  ///< the latest plain user message
        latest_answer,  ///< the latest answer to it, which is dropped no sooner than the message
        task,         ///< the first plain user message is never shortened
        sealed,       ///< signed or opaque: kept byte for byte, or dropped with its group
        pair,         ///< a call, a result, or the only link between them, is dropped with its group only
        turn,         ///< a plain user message keeps at least one part of the user's own
        not_json,     ///< the arguments of a call must stay JSON
        not_smaller,  ///< the edit would not save anything
        gone,         ///< the target is not sent any more
        last,         ///< nothing but system messages would be left
        summary,      ///< another summary is sent, and a request holds one
        no_room,      ///< a restored message would not fit the budget
    };
    reason why = none;
    v1::cost from = {};  ///< for `not_smaller`: cost of the present text, where it is known
    v1::cost to = {};    ///< and of the proposed one

    constexpr refusal(reason cause) noexcept : why{cause} {}
    /// `not_smaller`, with the costs for the report's note.
    constexpr refusal(v1::cost stands, v1::cost wanted) noexcept : why{not_smaller}, from{stands}, to{wanted} {}
    constexpr explicit operator bool() const noexcept { return why != none; }
    friend constexpr bool operator==(refusal left, refusal right) noexcept { return left.why == right.why; }
};

/// The reason as reports print it.
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
        case refusal::summary: return "another summary";
        case refusal::no_room: break;
    }
    return "no room";
}

/// A part of a group that is put back: as it was first read, or with a text as `shorten` or `externalize` writes it.
struct returning_part {
    part_ref part = {};
    std::optional<std::string> text = {};
    reference stored = {};  ///< where the original is, for a text
};

namespace detail {

/// The text that an edit put in the place of a part or of groups, and the reference of the original, if it is stored.
struct view_replacement {
    std::string text;
    reference stored = {};
};
/// One entry of a view's list of edits. It holds all that undoing it needs, so that rolling back reads no message and
/// cannot fail. Numbers of steps are stored plus one, so that 0 stands for none.
struct view_step {
    edit_kind kind = edit_kind::drop;
    bool on_part = false;  ///< the target is a part, not a group
    /// Of an edit of a part: index of the layer's entry in the report, plus one; 0 where no layer made it.
    std::uint16_t author = 0;
    std::uint32_t target = 0;    ///< a part's part_id, or a group's index, with its summary bit
    std::uint32_t previous = 0;  ///< the step that was in force on the target before, plus one
    std::uint32_t text = none32;  ///< index of its replacement among the view's texts
    v1::cost before = {};  ///< cost of the target before the step
    v1::cost after = {};   ///< and after it
};

/// What a view, or one group of it, adds to usage.
struct view_totals {
    v1::cost cost = {};
    std::uint64_t messages = 0;
    std::uint64_t turns = 0;
    std::uint64_t images = 0;
    std::uint64_t bytes = 0;

    constexpr view_totals& operator+=(view_totals const& more) noexcept {
        cost += more.cost;
        messages += more.messages;
        turns += more.turns;
        images += more.images;
        bytes += more.bytes;
        return *this;
    }
    constexpr view_totals& operator-=(view_totals const& less) noexcept {
        cost -= less.cost;
        messages -= less.messages;
        turns -= less.turns;
        images -= less.images;
        bytes -= less.bytes;
        return *this;
    }
    /// Equal but for images and bytes.
    constexpr bool counts_as(view_totals const& other) const noexcept {
        return cost == other.cost && messages == other.messages && turns == other.turns;
    }
    friend constexpr bool operator==(view_totals const&, view_totals const&) = default;
};

/// The state of one part in a view.
struct view_part {
    std::uint32_t edit = 0;    ///< the step in force, plus one
    std::uint32_t answer = 0;  ///< of a call: the step that wrote its result, plus one
};
/// The state of one group in a view. Its sums are kept while it is dropped, so that restoring it costs O(1).
struct view_group {
    v1::cost cost = {};          ///< of its messages and written results
    std::uint64_t bytes = 0;
    std::uint32_t messages = 0;  ///< their number; 0 in the place of a group that has joined another
    std::uint32_t turns = 0;
    std::uint32_t images = 0;
    std::uint32_t answers = 0;  ///< written results, included in `messages`
    std::uint32_t dropped = 0;  ///< the step that took it out, plus one
    std::uint32_t summary = 0;  ///< the step that wrote the summary before it, plus one
    std::uint32_t removed = 0;  ///< removed parts of the message with this index, whichever group that has joined

    constexpr bool present() const noexcept { return dropped == 0 && messages != 0; }
    constexpr view_totals all() const noexcept { return {cost, messages, turns, images, bytes}; }
    constexpr void add(v1::cost more, std::uint32_t plain_users) noexcept {
        cost += more;
        ++messages;
        turns += plain_users;
    }
    /// The images and bytes of a part, or of a text.
    constexpr void add_content(view_totals const& more) noexcept {
        images += static_cast<std::uint32_t>(more.images);
        bytes += more.bytes;
    }
    constexpr void remove_content(view_totals const& less) noexcept {
        images -= static_cast<std::uint32_t>(less.images);
        bytes -= less.bytes;
    }
    constexpr void clear_counts() noexcept {
        cost = {};
        messages = turns = images = answers = 0;
        bytes = 0;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
