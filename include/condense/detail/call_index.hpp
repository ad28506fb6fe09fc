// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/detail/fnv.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/saturate.hpp>

// The calls of a conversation in order, looked up by id from the newest backward. Ids may be reused or missing, so an
// id is never mapped to a single call. Most results belong to one of the newest calls: the hash table is filled only
// when a lookup goes beyond them.

namespace condense {
inline namespace v1 {
namespace detail {

/// A call, by its index in order of appearance.
struct call_record {
    std::uint64_t text_offset = 0;  ///< where the id, then the name of the tool, begin in the arena
    std::uint32_t id_size = 0;
    std::uint32_t tool_size = 0;
    std::uint32_t message = 0;
    std::uint32_t next_older = none32;  ///< the next older unanswered call with the same id; set by the first lookup
    bool answered = false;  ///< it has a complete result, or was cancelled; reopen takes it back
    bool waits = false;  ///< it, or a result of it, was reported as pending
    bool dead = false;   ///< a later turn was answered without its result
    bool failed = false;      ///< some result of it is no success: an error, or pending
    bool has_result = false;  ///< some message holds a result of it, pending ones included
    std::uint32_t part_id = none32;  ///< the part that holds the call
    std::uint32_t result_in = none32;  ///< the message of its first result by id
};

/// Views that it returns are valid until the next call is added. A template, so that a program that only includes this
/// header instantiates nothing.
template <class = void>
class basic_call_index {
public:
    constexpr std::size_t size() const noexcept { return calls_.size(); }
    constexpr call_record& operator[](std::uint32_t call) noexcept { return calls_[call]; }
    constexpr call_record const& operator[](std::uint32_t call) const noexcept { return calls_[call]; }

    constexpr std::string_view id(std::uint32_t call) const noexcept {
        return std::string_view{arena_}.substr(calls_[call].text_offset, calls_[call].id_size);
    }
    constexpr std::string_view tool(std::uint32_t call) const noexcept {
        return std::string_view{arena_}.substr(calls_[call].text_offset + calls_[call].id_size, calls_[call].tool_size);
    }

    /// Reserves memory for a known number of calls, and bytes of their ids and names.
    constexpr void expect(std::size_t count, std::size_t text) {
        calls_.reserve(count);
        arena_.reserve(text);
        if (count != 0) reserve_slots(count);
    }
    /// Makes room for `count` more calls of `text` bytes together; after it `add` cannot fail.
    constexpr void reserve_more(std::size_t count, std::size_t text) {
        grow(calls_, count);
        grow(arena_, text);
        reserve_slots(calls_.size() + count);
    }

    /// Appends a call and returns its index.
    constexpr std::uint32_t add(std::string_view id, std::string_view tool, std::uint32_t message) {
        auto const call = static_cast<std::uint32_t>(calls_.size());
        calls_.push_back({.text_offset = arena_.size(),
                          .id_size = static_cast<std::uint32_t>(id.size()),
                          .tool_size = static_cast<std::uint32_t>(tool.size()),
                          .message = message});
        arena_.append(id);
        arena_.append(tool);
        return call;
    }

    /// A copy with the calls in messages that `keeps(index)`; `numbers` becomes the new index of each call, none32 for
    /// the others.
    template <class Keeps>
    constexpr basic_call_index with_only(Keeps const& keeps, std::vector<std::uint32_t>& numbers) const {
        numbers.assign(calls_.size(), none32);
        basic_call_index result;
        for (std::uint32_t call = 0; call < calls_.size(); ++call) {
            if (!keeps(calls_[call].message)) continue;
            numbers[call] = result.add(id(call), tool(call), calls_[call].message);
            auto& added = result.calls_.back();
            auto const offset = added.text_offset;
            added = calls_[call];
            added.text_offset = offset;
            added.next_older = none32;
        }
        result.reserve_slots(result.calls_.size());
        return result;
    }

    /// The first call in this message or a later one. A binary search.
    constexpr std::uint32_t first_in(std::uint32_t message) const noexcept {
        std::uint32_t first = 0;
        for (auto end = static_cast<std::uint32_t>(calls_.size()); first < end;) {
            auto const middle = first + (end - first) / 2;
            if (calls_[middle].message < message) first = middle + 1;
            else end = middle;
        }
        return first;
    }

    /// The newest unanswered call with this id, else the newest answered one, else none32. Each answered call is
    /// skipped once and for all, so that lookups cost constant time, amortised.
    constexpr std::uint32_t nearest(std::string_view id) noexcept {
        if (id.empty() || calls_.empty()) return none32;
        if (auto const call = among_newest(id); call != none32) return call;
        for (; indexed_ < calls_.size(); ++indexed_) add_to_table(indexed_);
        auto& slot = slots_[find_slot(id)];
        while (slot.unanswered != none32 && calls_[slot.unanswered].answered)
            slot.unanswered = calls_[slot.unanswered].next_older;
        return slot.unanswered != none32 ? slot.unanswered : slot.newest;
    }

    /// Calls f(call) for each unanswered call with this id, from the newest to the oldest. Answered ones are skipped
    /// once and for all, as by `nearest`.
    template <class Function>
    constexpr void each_unanswered(std::string_view id, Function&& f) {
        if (id.empty() || calls_.empty()) return;
        for (; indexed_ < calls_.size(); ++indexed_) add_to_table(indexed_);
        for (auto* link = &slots_[find_slot(id)].unanswered; *link != none32;) {
            auto& call = calls_[*link];
            if (call.answered) *link = call.next_older;
            else f(*link), link = &call.next_older;
        }
    }

    /// Marks an answered call as unanswered again, and puts it back among those with its id, which are linked from the
    /// newest to the oldest. Costs a step for each newer one that is linked.
    constexpr void reopen(std::uint32_t call) noexcept {
        calls_[call].answered = false;
        if (call >= indexed_ || calls_[call].id_size == 0) return;
        auto* link = &slots_[find_slot(id(call))].unanswered;
        while (*link != none32 && *link > call) link = &calls_[*link].next_older;
        if (*link == call) return;
        calls_[call].next_older = *link;
        *link = call;
    }

private:
    /// The calls with one id; empty without a newest one.
    struct slot_record {
        std::uint32_t newest = none32;
        std::uint32_t unanswered = none32;  ///< the newest that may be unanswered; it links to older ones
    };

    /// An unanswered call with this id among the newest few, which is nearly always the one that a result belongs to;
    /// else none32.
    constexpr std::uint32_t among_newest(std::string_view id) const noexcept {
        auto const first = calls_.size() > few ? calls_.size() - few : 0;
        for (auto call = calls_.size(); call-- > first;)
            if (calls_[call].id_size == id.size() && this->id(static_cast<std::uint32_t>(call)) == id)
                return calls_[call].answered ? none32 : static_cast<std::uint32_t>(call);
        return none32;
    }

    /// FNV-1a, whose low bits, which choose the slot, get some of the high ones.
    static constexpr std::uint64_t hash(std::string_view text) noexcept {
        auto const state = fnv1a(text);
        return state ^ (state >> 29);
    }

    /// The slot of an id: its own, or the empty one where it belongs. The table is never full.
    constexpr std::size_t find_slot(std::string_view text) const noexcept {
        auto const mask = slots_.size() - 1;
        std::size_t index = hash(text) & mask;
        while (slots_[index].newest != none32 && id(slots_[index].newest) != text) index = (index + 1) & mask;
        return index;
    }
    /// Calls without an id are never looked up.
    constexpr void add_to_table(std::uint32_t call) noexcept {
        if (calls_[call].id_size == 0) return;
        auto& slot = slots_[find_slot(id(call))];
        calls_[call].next_older = slot.unanswered;
        slot = {call, call};
    }

    /// Grows the table for so many ids, at most three quarters full. The next lookup fills it again.
    constexpr void reserve_slots(std::size_t ids) {
        if (ids * 4 < slots_.size() * 3) return;
        std::size_t wanted = 16;
        while (wanted * 3 <= ids * 4) wanted *= 2;
        slots_ = std::vector<slot_record>(wanted);
        indexed_ = 0;
    }

    /// Calls that are searched one by one before the table is used.
    static constexpr std::size_t few = 4;

    std::vector<call_record> calls_;
    std::vector<slot_record> slots_;  ///< hash table by id of the calls [0, indexed_)
    std::string arena_;  ///< ids and names of all calls; one allocation for many
    std::uint32_t indexed_ = 0;
};
using call_index = basic_call_index<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
