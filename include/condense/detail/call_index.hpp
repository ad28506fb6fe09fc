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
// id is never mapped to a single call. The hash table is filled only when a lookup goes beyond the newest calls.

namespace condense {
inline namespace v1 {
namespace detail {

struct call_record {
    std::uint64_t text_at = 0;  ///< id, then tool name, in the arena
    std::uint32_t id_size = 0;
    std::uint32_t tool_size = 0;
    std::uint32_t message = 0;
    std::uint32_t below = none32;  ///< the next older unanswered call with the same id; set by the first lookup
    bool answered = false;
    bool waits = false;  ///< the adapter says that the answer is still to come
    bool dead = false;   ///< a later turn has been answered without it
    bool has_result = false;
    std::uint32_t part_id = none32;  ///< of its part
    std::uint32_t result_in = none32;  ///< the message of its first result by id
};

/// A template, so that a program that only includes it instantiates nothing.
template <class = void>
class basic_call_index {
public:
    constexpr std::size_t size() const noexcept { return calls_.size(); }
    constexpr call_record& operator[](std::uint32_t call) noexcept { return calls_[call]; }
    constexpr call_record const& operator[](std::uint32_t call) const noexcept { return calls_[call]; }

    constexpr std::string_view id(std::uint32_t call) const noexcept {
        return std::string_view{arena_}.substr(calls_[call].text_at, calls_[call].id_size);
    }
    constexpr std::string_view tool(std::uint32_t call) const noexcept {
        return std::string_view{arena_}.substr(calls_[call].text_at + calls_[call].id_size, calls_[call].tool_size);
    }

    /// Reserves memory for a known number of calls, and bytes of their ids and names.
    constexpr void expect(std::size_t count, std::size_t text) {
        calls_.reserve(count);
        arena_.reserve(text);
        if (count != 0) make_slots(count);
    }
    /// Makes room for `count` more calls of `text` bytes together; after it `add` cannot fail.
    constexpr void reserve_more(std::size_t count, std::size_t text) {
        grow(calls_, count);
        grow(arena_, text);
        make_slots(calls_.size() + count);
    }

    constexpr std::uint32_t add(std::string_view id, std::string_view tool, std::uint32_t message) {
        auto const call = static_cast<std::uint32_t>(calls_.size());
        calls_.push_back({.text_at = arena_.size(),
                          .id_size = static_cast<std::uint32_t>(id.size()),
                          .tool_size = static_cast<std::uint32_t>(tool.size()),
                          .message = message});
        arena_.append(id);
        arena_.append(tool);
        return call;
    }

    /// The newest call with this id that has no answer, else the newest that has one, else none32.
    constexpr std::uint32_t nearest(std::string_view id) noexcept {
        if (id.empty() || calls_.empty()) return none32;
        if (auto const found = among_newest(id); found != none32) return found;
        for (; looked_up_ < calls_.size(); ++looked_up_) enter(looked_up_);
        auto& slot = slots_[find_slot(id)];
        while (slot.unanswered != none32 && calls_[slot.unanswered].answered)
            slot.unanswered = calls_[slot.unanswered].below;
        return slot.unanswered != none32 ? slot.unanswered : slot.newest;
    }

    /// Takes the answer of a call back.
    constexpr void reopen(std::uint32_t call) noexcept {
        calls_[call].answered = false;
        if (call >= looked_up_ || calls_[call].id_size == 0) return;
        auto* place = &slots_[find_slot(id(call))].unanswered;
        while (*place != none32 && *place > call) place = &calls_[*place].below;
        if (*place == call) return;
        calls_[call].below = *place;
        *place = call;
    }

private:
    struct slot_record {
        std::uint32_t newest = none32;
        std::uint32_t unanswered = none32;  ///< the newest call that may be unanswered; calls below it may be, too
    };

    /// An unanswered call with this id among the newest few, which is nearly always the one that a result belongs to;
    /// else none32.
    constexpr std::uint32_t among_newest(std::string_view id) const noexcept {
        auto const end = calls_.size() > few ? calls_.size() - few : 0;
        for (auto at = calls_.size(); at-- > end;)
            if (calls_[at].id_size == id.size() && this->id(static_cast<std::uint32_t>(at)) == id)
                return calls_[at].answered ? none32 : static_cast<std::uint32_t>(at);
        return none32;
    }

    static constexpr std::uint64_t hash(std::string_view text) noexcept {
        auto const state = fnv1a(text);
        return state ^ (state >> 29);
    }

    constexpr std::size_t find_slot(std::string_view text) const noexcept {
        auto const mask = slots_.size() - 1;
        std::size_t at = hash(text) & mask;
        while (slots_[at].newest != none32 && id(slots_[at].newest) != text) at = (at + 1) & mask;
        return at;
    }
    constexpr void enter(std::uint32_t call) noexcept {
        if (calls_[call].id_size == 0) return;
        auto& slot = slots_[find_slot(id(call))];
        calls_[call].below = slot.unanswered;
        slot = {call, call};
    }

    /// Grows the table for so many ids, and fills it again.
    constexpr void make_slots(std::size_t ids) {
        if (ids * 4 < slots_.size() * 3) return;
        std::size_t wanted = 16;
        while (wanted * 3 <= ids * 4) wanted *= 2;
        slots_ = std::vector<slot_record>(wanted);
        looked_up_ = 0;
    }

    static constexpr std::size_t few = 4;

    std::vector<call_record> calls_;
    std::vector<slot_record> slots_;  ///< those below `looked_up_`, by id
    std::string arena_;
    std::uint32_t looked_up_ = 0;
};
using call_index = basic_call_index<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
