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
#include <condense/detail/grow.hpp>
#include <condense/detail/mark.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/sort.hpp>
#include <condense/detail/text.hpp>

// The outline's records of messages, parts and groups, and the scan of one message from which they are made. Reading is
// separate from placing: what can fail happens in the scan, before the outline changes.

namespace condense {
inline namespace v1 {

/// One part of a released message, as a saved session keeps it.
struct released_part {
    part_kind kind = part_kind::text;
    part_status status = part_status::ok;
    bool sealed = false;
    std::uint64_t size = 0;  ///< bytes of text
    v1::cost cost = {};
    std::string call = {};
    std::string tool = {};
};
/// Facts of a message that was released, enough to make the outline again without it. A template, so that a program
/// that only includes it instantiates nothing of it.
template <class = void>
struct basic_released_message {
    std::uint64_t index = 0;
    std::uint64_t messages = 0;  ///< length of the conversation when it was released
    role speaker = role::other;
    bool plain_user = false;
    bool joins_previous = false;
    v1::cost frame = {};
    std::vector<released_part> parts = {};
};
using released_message = basic_released_message<>;

/// A part of a conversation.
struct part_place {
    std::uint64_t message = 0;  ///< its number
    std::uint32_t part = 0;  ///< index in the message
};
/// A call that was cancelled or found dead.
struct dead_call {
    part_place call = {};
    bool dead = false;  ///< no result of it has come since
};
/// The call to which a result, or a part that came with one, belongs.
struct call_match {
    part_place result = {};
    bool has_call = false;
    part_place call = {};
    bool late = false;  ///< of a call that was released
};
/// How many entries of the outline's lists of broken pairs were of messages that are released.
struct gone_pairs {
    std::uint64_t dead_calls = 0;
    std::uint64_t orphans = 0;
    std::uint64_t repeats = 0;
};
/// Facts of the messages that are left once others were released, where they do not follow from these messages.
struct release_record {
    std::uint64_t latest = 0;  ///< messages when some were released the last time; 0 where none was
    std::uint64_t newest_calls = 0;  ///< the number of the group with the newest calls, plus 1; 0 for none
    std::vector<dead_call> dead_calls = {};  ///< in the order in which they were found
    std::vector<call_match> matches = {};  ///< of results without an id and of late ones, in order
    gone_pairs gone = {};
};

namespace detail {

struct range_end {};
/// Numbers that follow each other, such as the part_ids of a message; its own iterator.
class number_range {
public:
    constexpr number_range(std::uint32_t first, std::uint32_t count) noexcept : number_{first}, end_{first + count} {}
    constexpr number_range begin() const noexcept { return *this; }
    constexpr range_end end() const noexcept { return {}; }
    constexpr std::uint32_t operator*() const noexcept { return number_; }
    constexpr number_range& operator++() noexcept { return ++number_, *this; }
    friend constexpr bool operator==(number_range at, range_end) noexcept { return at.number_ == at.end_; }

private:
    std::uint32_t number_;
    std::uint32_t end_;
};

/// Part ids in the order in which something was found of them. Where those of released messages leave it, others move
/// to their places, never to lower ones: who has looked at all up to some place has missed none.
class part_list {
public:
    constexpr part_list() = default;
    constexpr explicit part_list(std::uint64_t gone) noexcept : gone_{gone} {}

    /// The places that have entries are those from first() up to size().
    constexpr std::uint64_t first() const noexcept { return gone_; }
    constexpr std::uint64_t size() const noexcept { return gone_ + ids_.size(); }
    constexpr std::uint32_t operator[](std::uint64_t place) const noexcept { return ids_[as_size(place - gone_)]; }
    constexpr auto begin() const noexcept { return ids_.begin(); }
    constexpr auto end() const noexcept { return ids_.end(); }

    constexpr void reserve_more(std::size_t more) { grow(ids_, more); }
    constexpr void push_back(std::uint32_t part_id) { ids_.push_back(part_id); }
    /// Takes out all of which keeps(id) is false.
    template <class Keeps>
    constexpr void keep(Keeps const& keeps) {
        std::size_t count = 0;
        for (auto const id : ids_)
            if (keeps(id)) ids_[count++] = id;
        gone_ += ids_.size() - count;
        ids_.resize(count);
    }

private:
    std::vector<std::uint32_t> ids_;
    std::uint64_t gone_ = 0;
};

/// Facts of one message.
struct message_record {
    v1::cost frame = {};  ///< cost beside its parts
    std::uint32_t first_part = 0;  ///< part_id of its first part; the others follow
    std::uint32_t part_count = 0;
    std::uint32_t back = 0;  ///< to the message where the search for its group begins
    std::uint32_t next_in_group = none32;
    role speaker = role::other;
    bool plain_user = false;  ///< role user with a part that belongs to no call, and no summary: it begins a turn
    bool pinned = false;
    bool asks_nothing = false;  ///< a greeting, or a command of the program: the next message may be the task
    bool summary = false;  ///< written by an earlier run, as its mark says
    compaction_place compaction = compaction_place::none;  ///< of its first part that is one
    bool released = false;  ///< the session has given it back; it cannot be read any more

    /// The part_ids of its parts.
    constexpr number_range parts() const noexcept { return {first_part, part_count}; }
    /// A request may begin with it, as it begins a turn or nothing may be before it.
    constexpr bool begins() const noexcept { return plain_user || compaction == compaction_place::first; }
};
/// Facts of one part.
struct part_record {
    v1::cost cost = {};  ///< of the original
    std::uint64_t size = 0;  ///< bytes of the original text
    std::uint32_t call = none32;  ///< index of the call record to which it belongs
    std::uint32_t message_index = 0;
    part_kind kind = part_kind::text;
    part_status status = part_status::ok;
    bool sealed = false;
    bool bound = false;  ///< part_view::bound, where the part can be removed
    bool by_id = false;  ///< a result that names its call
    bool repeats = false;  ///< a result by id whose call already has one in an earlier message
    bool of_released = false;  ///< its call was released
    bool late = false;  ///< and it can be removed from its message, so it is never sent
    earlier_edit earlier = earlier_edit::none;
};

/// Facts of one group; empty where it has joined another.
struct group_record {
    v1::cost cost = {};  ///< of the originals
    std::uint32_t first = 0;  ///< indices of its first and last messages, between which others may stand
    std::uint32_t last = 0;
    std::uint32_t tail = 0;  ///< end of the member list, in the order in which messages joined
    std::uint32_t count = 0;
    std::uint32_t plain_users = 0;
    std::uint32_t waiting = 0;  ///< unanswered calls that are not dead
    std::uint32_t merged_into = none32;  ///< the group that it has joined
    bool system = false;
    bool pinned = false;
    bool has_calls = false;
    bool has_error = false;
    bool orphan = false;  ///< it holds results whose call is missing
    bool summary = false;
    bool unsendable = false;  ///< a member of it, or the call that it answers, was released

    /// Takes over the members of another group, which is empty afterwards.
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

/// How a message is read into an outline.
struct read_options {
    bool marks = false;  ///< read its mark, by which earlier edits and summaries are recognised
    bool pinned = false;  ///< pin it, whatever its traits say
    bool exact = false;  ///< ignore its traits' `pinned`, so that only the flag above counts
    role previous = role::other;  ///< of the message before it
};

/// One message as it was read: its records, and the ids and tool names that are needed until it is placed. Its buffers
/// are used again for the next message, so that reading a history seldom allocates.
template <class = void>
class basic_message_scan {
public:
    struct read_part {
        part_record record;
        std::size_t id_offset = 0;  ///< in the text of ids and names; the tool name follows the id
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
        bool asks = false;
        record.pinned = options.pinned || (!options.exact && v1::is_pinned(m));
        part_removable = detail::part_removable<Message>;
        joins_previous = v1::joins_previous(m, options.previous);
        auto const mark = options.marks ? mark_reader{v1::mark_of(m)} : mark_reader{};
        v1::each_part.inlined(m, [&](part_view const& part) {
            read_part next{.record = {.cost = part_cost(estimator, part),
                                      .size = part.text.size() + part.data,
                                      .kind = part.kind,
                                      .status = part.status,
                                      .sealed = part.sealed || part.bound,
                                      .bound = part.bound && part_removable && record.speaker == role::assistant,
                                      .earlier = mark.edit_of(parts_.size())}};
            next.id_offset = text_.size();
            next.id_size = part.call.size();
            next.tool_size = part.tool.size();
            if (!part.call.empty()) text_.append(part.call);
            if (!part.tool.empty()) text_.append(part.tool);
            if (record.compaction == compaction_place::none) record.compaction = part.compaction;
            // A part with a call id, such as an image that came with a result, is not the user's own.
            record.plain_user = record.plain_user || (part.kind != part_kind::tool_result && part.call.empty());
            asks = asks || part.kind != part_kind::text || !detail::asks_nothing(part.text);
            parts_.push_back(next);
        });
        // A mark alone is not trusted: summaries of this library are user messages of one text.
        record.summary = mark.summary() && record.speaker == role::user && parts_.size() == 1 &&
                         parts_[0].record.kind == part_kind::text;
        record.plain_user = record.plain_user && record.speaker == role::user && !record.summary;
        record.asks_nothing = record.plain_user && !asks;
        index_results();
    }

    /// Fills the scan with the facts of a released message, as if that had been read.
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
        index_results();
    }
    constexpr std::vector<read_part> const& parts() const noexcept { return parts_; }
    /// The message may hold calls, results, or parts that came with one.
    constexpr bool has_pairs() const noexcept {
        for (auto const& part : parts_)
            if (part.id_size != 0 || part.record.kind == part_kind::tool_call ||
                part.record.kind == part_kind::tool_result)
                return true;
        return false;
    }
    /// Bytes of all ids and tool names, for reserving.
    constexpr std::size_t text_size() const noexcept { return text_.size(); }
    constexpr std::string_view id_of(read_part const& part) const noexcept {
        return std::string_view{text_}.substr(part.id_offset, part.id_size);
    }
    constexpr std::string_view name_of_tool(read_part const& part) const noexcept {
        return std::string_view{text_}.substr(part.id_offset + part.id_size, part.tool_size);
    }

    /// The first result before part `position` that has the same id; none32 if there is none.
    constexpr std::uint32_t earlier_result(std::size_t position) const noexcept {
        auto const id = id_of(parts_[position]);
        std::size_t first = 0;
        if (parts_.size() <= few) {
            while (first < position && !(is_result(first) && id_of(parts_[first]) == id)) ++first;
        } else {
            for (auto end = results_.size(); first < end;) {
                auto const middle = first + (end - first) / 2;
                if (id_of(parts_[results_[middle]]) < id) first = middle + 1;
                else end = middle;
            }
            if (first == results_.size() || id_of(parts_[results_[first]]) != id) return none32;
            first = results_[first];
        }
        return first < position ? static_cast<std::uint32_t>(first) : none32;
    }

    message_record record = {};
    bool part_removable = false;  ///< parts can be taken out of it
    bool joins_previous = false;

private:
    static constexpr std::size_t few = 16;  ///< parts that are searched one by one

    constexpr bool is_result(std::size_t position) const noexcept {
        return parts_[position].record.kind == part_kind::tool_result;
    }
    constexpr void index_results() {
        results_.clear();
        if (parts_.size() <= few) return;
        for (std::size_t position = 0; position < parts_.size(); ++position)
            if (is_result(position)) results_.push_back(static_cast<std::uint32_t>(position));
        sort(results_, [this](std::uint32_t a, std::uint32_t b) { return id_of(parts_[a]) < id_of(parts_[b]); });
    }

    std::vector<read_part> parts_;
    std::string text_;
    std::vector<std::uint32_t> results_;  ///< of more than a few parts, by id, then by place
};
using message_scan = basic_message_scan<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
