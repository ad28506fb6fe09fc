// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/estimator.hpp>
#include <condense/core/message.hpp>
#include <condense/detail/mark.hpp>
#include <condense/detail/saturate.hpp>

// What is kept of messages, parts and groups beside their text, and one message as it has just been read: all
// that can fail in taking it in is here, before anything else changes.

namespace condense {
inline namespace v1 {

/// What stays known of a message that was released, so that the outline can be made again without it.
struct released_part {
    part_kind kind = part_kind::text;
    part_status status = part_status::ok;
    bool sealed = false;
    std::uint64_t size = 0;  ///< bytes of text
    v1::cost cost = {};
    std::string call = {};
    std::string tool = {};
    friend bool operator==(released_part const&, released_part const&) = default;
};
/// A template, as what is read below, so that a program that only includes it instantiates nothing of it.
template <class = void>
struct basic_released_message {
    std::uint64_t index = 0;
    std::uint64_t messages = 0;  ///< how many had come when it was released
    role speaker = role::other;
    bool plain_user = false;
    bool joins_previous = false;
    v1::cost frame = {};
    std::vector<released_part> parts = {};
    friend bool operator==(basic_released_message const&, basic_released_message const&) = default;
};
using released_message = basic_released_message<>;

namespace detail {

struct message_record {
    v1::cost frame = {};
    std::uint32_t first_part = 0;
    std::uint32_t part_count = 0;
    std::uint32_t group = 0;
    std::uint32_t next_in_group = none32;
    role speaker = role::other;
    bool plain_user = false;
    bool pinned = false;
    bool summary = false;
    bool released = false;  ///< the session has given it back
};
struct part_record {
    v1::cost cost = {};
    std::uint64_t size = 0;
    std::uint32_t call = none32;
    std::uint32_t message_index = 0;
    part_kind kind = part_kind::text;
    part_status status = part_status::ok;
    bool sealed = false;
    bool by_id = false;  ///< a result that names its call
    bool late = false;  ///< it belongs to a call that was released, and can be taken out of its message
    earlier_edit earlier = earlier_edit::none;
};

struct group_record {
    v1::cost cost = {};
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t tail = 0;  ///< end of the member list
    std::uint32_t count = 0;
    std::uint32_t plain_users = 0;
    std::uint32_t waiting = 0;  ///< calls without an answer that may still come
    std::uint32_t merged_into = none32;
    bool system = false;
    bool pinned = false;
    bool has_calls = false;
    bool has_error = false;
    bool orphan = false;  ///< results whose call is nowhere
    bool summary = false;
    bool unsendable = false;  ///< a member of it, or the call that it answers, has been released

    /// Counts the members of another group, which has none left, as its own.
    constexpr void take(group_record& other) noexcept {
        last = last > other.last ? last : other.last;
        cost += std::exchange(other.cost, {});
        count += std::exchange(other.count, 0u);
        plain_users += std::exchange(other.plain_users, 0u);
        waiting += other.waiting;
        system = system || other.system;
        pinned = pinned || other.pinned;
        has_calls = has_calls || other.has_calls;
        has_error = has_error || other.has_error;
        orphan = orphan || other.orphan;
        summary = summary && other.summary;
    }
};

/// How a message is read: with its mark, and pinned whatever its traits say; `exact`, or not pinned.
struct read_options {
    bool marks = false;
    bool pinned = false;
    bool exact = false;
};

template <class = void>
class basic_message_scan {
public:
    struct read_part {
        part_record record;
        std::size_t id_offset = 0;
        std::size_t id_size = 0;
        std::size_t tool_size = 0;
    };

    template <message Message, token_estimator Estimator>
    constexpr void read(Message const& m, Estimator const& estimator, read_options options) {
        record = {};
        parts_.clear();
        text_.clear();
        record.speaker = v1::role_of(m);
        record.frame = frame_cost(estimator, record.speaker, [&] { return v1::name_of(m); });
        record.pinned = options.pinned || (!options.exact && v1::is_pinned(m));
        part_removable = detail::part_removable<Message>;
        joins_previous = v1::joins_previous(m);
        auto const mark = options.marks ? mark_reader{v1::mark_of(m)} : mark_reader{};
        v1::each_part(m, [&](part_view const& part) {
            read_part next{.record = {.cost = part_cost(estimator, part),
                                      .size = part.text.size(),
                                      .kind = part.kind,
                                      .status = part.status,
                                      .sealed = part.sealed,
                                      .earlier = mark.edit_of(parts_.size())}};
            next.id_offset = text_.size();
            next.id_size = part.call.size();
            next.tool_size = part.tool.size();
            if (!part.call.empty()) text_.append(part.call);
            if (!part.tool.empty()) text_.append(part.tool);
            // An image that came with a result is no word of the user's.
            record.plain_user = record.plain_user || (part.kind != part_kind::tool_result && part.call.empty());
            parts_.push_back(next);
        });
        // Only what looks like a summary of ours may be called one.
        record.summary = mark.summary() && record.speaker == role::user && parts_.size() == 1 &&
                         parts_[0].record.kind == part_kind::text;
        record.plain_user = record.plain_user && record.speaker == role::user && !record.summary;
    }

    /// As if the message itself had been read.
    void take(released_message const& m, bool pinned, bool removable) {
        part_removable = removable;
        record = {.frame = clamped(m.frame), .speaker = m.speaker, .plain_user = m.plain_user, .pinned = pinned};
        joins_previous = m.joins_previous;
        parts_.clear();
        text_.clear();
        for (auto const& part : m.parts) {
            parts_.push_back({.record = {.cost = clamped(part.cost),
                                         .size = part.size,
                                         .kind = part.kind,
                                         .status = part.status,
                                         .sealed = part.sealed},
                              .id_offset = text_.size(),
                              .id_size = part.call.size(),
                              .tool_size = part.tool.size()});
            text_.append(part.call).append(part.tool);
        }
    }
    /// What `take` needs in place of the message that was read.
    released_message facts() const {
        released_message result{.speaker = record.speaker,
                                .plain_user = record.plain_user,
                                .joins_previous = joins_previous,
                                .frame = record.frame};
        for (auto const& part : parts_)
            result.parts.push_back({.kind = part.record.kind,
                                    .status = part.record.status,
                                    .sealed = part.record.sealed,
                                    .size = part.record.size,
                                    .cost = part.record.cost,
                                    .call = std::string{id_of(part)},
                                    .tool = std::string{name_of_tool(part)}});
        return result;
    }

    constexpr std::vector<read_part> const& parts() const noexcept { return parts_; }
    /// Whether there may be calls, results, or what came with one.
    constexpr bool has_pairs() const noexcept {
        for (auto const& part : parts_)
            if (part.id_size != 0 || part.record.kind == part_kind::tool_call ||
                part.record.kind == part_kind::tool_result)
                return true;
        return false;
    }
    /// Bytes of its ids and tool names together.
    constexpr std::size_t text_size() const noexcept { return text_.size(); }
    constexpr std::string_view id_of(read_part const& part) const noexcept {
        return std::string_view{text_}.substr(part.id_offset, part.id_size);
    }
    constexpr std::string_view name_of_tool(read_part const& part) const noexcept {
        return std::string_view{text_}.substr(part.id_offset + part.id_size, part.tool_size);
    }

    message_record record = {};
    bool part_removable = false;  ///< parts can be taken out of it
    bool joins_previous = false;

private:
    std::vector<read_part> parts_;
    std::string text_;
};
using message_scan = basic_message_scan<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
