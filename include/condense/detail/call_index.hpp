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

// The calls of a conversation in the order they were made, found by id from the newest backward.
// Ids may be reused or missing, so this never maps an id to one call.

namespace condense {
inline namespace v1 {
namespace detail {

struct call_record {
    std::uint64_t text_at = 0;  ///< id, then tool name, in the arena
    std::uint32_t id_size = 0;
    std::uint32_t tool_size = 0;
    std::uint32_t message = 0;
    std::uint32_t below = none32;  ///< the next older unanswered call with the same id
    bool answered = false;
    bool waits = false;  ///< the adapter says that the answer is still to come
    bool dead = false;   ///< a later turn has been answered without it
    bool has_result = false;
    std::uint32_t column = none32;  ///< of its part
};

/// A template, as its kind in core are, so that a program that only includes it instantiates nothing of it.
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

    /// Makes room for `count` more calls of `text` bytes together; after it `add` cannot fail.
    constexpr void reserve_more(std::size_t count, std::size_t text) {
        grow(calls_, count);
        grow(arena_, text);
        if ((used_ + count) * 4 >= slots_.size() * 3) rehash(count);
    }

    constexpr std::uint32_t add(std::string_view id, std::string_view tool, std::uint32_t message) {
        auto const call = static_cast<std::uint32_t>(calls_.size());
        calls_.push_back({.text_at = arena_.size(),
                          .id_size = static_cast<std::uint32_t>(id.size()),
                          .tool_size = static_cast<std::uint32_t>(tool.size()),
                          .message = message});
        arena_.append(id);
        arena_.append(tool);
        if (!id.empty()) {
            auto& slot = slots_[find_slot(slots_, id)];
            if (slot.newest == none32) ++used_;
            calls_[call].below = slot.unanswered;
            slot = {call, call};
        }
        return call;
    }

    /// The nearest call with this id that has no answer, else the nearest that has one, else none32.
    constexpr std::uint32_t nearest(std::string_view id) noexcept {
        if (slots_.empty() || id.empty()) return none32;
        auto& slot = slots_[find_slot(slots_, id)];
        while (slot.unanswered != none32 && calls_[slot.unanswered].answered)
            slot.unanswered = calls_[slot.unanswered].below;
        return slot.unanswered != none32 ? slot.unanswered : slot.newest;
    }

private:
    struct slot_record {
        std::uint32_t newest = none32;
        std::uint32_t unanswered = none32;
    };

    static constexpr std::uint64_t hash(std::string_view text) noexcept {
        auto const state = fnv1a(text);
        return state ^ (state >> 29);
    }

    constexpr std::size_t find_slot(std::vector<slot_record> const& table, std::string_view text) const noexcept {
        auto const mask = table.size() - 1;
        std::size_t at = hash(text) & mask;
        while (table[at].newest != none32 && id(table[at].newest) != text) at = (at + 1) & mask;
        return at;
    }

    constexpr void rehash(std::size_t more) {
        std::size_t wanted = 16;
        while (wanted * 3 <= (used_ + more) * 4 + 3) wanted *= 2;
        std::vector<slot_record> wider(wanted);
        for (auto const& slot : slots_)
            if (slot.newest != none32) wider[find_slot(wider, id(slot.newest))] = slot;
        slots_.swap(wider);
    }

    std::vector<call_record> calls_;
    std::vector<slot_record> slots_;
    std::string arena_;
    std::size_t used_ = 0;
};
using call_index = basic_call_index<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
