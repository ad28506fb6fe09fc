// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstdint>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/store.hpp>

// The handles by which layers name messages, groups and parts, and the facts known of them without reading text.
// Handles are small values: cheap to copy, never dangling, comparable.

namespace condense {
inline namespace v1 {

/// A message's number in the conversation, given when it is first read and never reused. Pins, journals, summaries and
/// saved state refer to messages by it.
struct sequence {
    std::uint64_t number = 0;
    friend constexpr auto operator<=>(sequence, sequence) = default;
};

/// The smallest unit that may be dropped: messages joined by shared calls, or one message.
/// A summary is a group of its own; it stands before the group in whose place it was written.
struct group {
    std::uint32_t index = 0;  ///< of its first message; for a summary also the summary bit

    static constexpr std::uint32_t summary_bit = std::uint32_t{1} << 31;
    constexpr std::uint32_t id() const noexcept { return index & ~summary_bit; }
    constexpr bool is_summary() const noexcept { return (index & summary_bit) != 0; }
    constexpr group summary() const noexcept { return {index | summary_bit}; }

    friend constexpr auto operator<=>(group, group) = default;
};

/// One part of one message. Valid for drafts of the conversation whose draft gave it, whatever edits follow.
struct part_ref {
    std::uint32_t message_index = 0;
    std::uint32_t index = 0;   ///< in each_part order
    std::uint32_t part_id = 0;  ///< in the outline
    friend constexpr bool operator==(part_ref, part_ref) = default;
};

/// What is known of a part without reading its text.
struct part_facts {
    part_kind kind = part_kind::text;
    part_status status = part_status::ok;
    bool sealed = false;
    bool edited = false;        ///< an edit is in force, or an earlier run's mark says so
    bool externalized = false;  ///< its original can be read back by a reference
    reference stored = {};        ///< that reference, where this run or session stored the original
    bool stored_earlier = false;  ///< an earlier run stored it, as its mark says
    v1::cost cost = {};         ///< as it stands now
    v1::cost original_cost = {};
    bytes original_size = {};
};

/// What is known of a group without reading its texts.
struct group_facts {
    std::uint32_t first = 0;  ///< index of its first message
    std::uint32_t last = 0;
    std::uint32_t count = 0;  ///< messages in it
    v1::cost cost = {};
    v1::images images = {};
    v1::bytes bytes = {};
    role speaker = role::other;  ///< of its first message
    bool system = false;
    bool pinned = false;
    bool open = false;
    bool starts_turn = false;  ///< its first message is a plain user message, or nothing may be before it
    bool plain_user = false;   ///< some message of it is one
    bool latest_user = false;  ///< it holds the latest one
    bool has_calls = false;
    bool has_error = false;
    bool summary = false;
};

}  // namespace v1
}  // namespace condense
