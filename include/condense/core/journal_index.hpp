// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/call_index.hpp>

// Which messages of a history a journal already holds. Both are in the order in which the messages
// came, so each message is looked for after the one before it: an equal one that was dropped long
// ago does not pass for a new one.

namespace condense {
inline namespace v1 {
namespace detail {

class journal_index {
public:
    static constexpr std::uint64_t none = u64_limit;

    void add(journal_entry const& line) {
        if ((used_ + 1) * 4 >= slots_.size() * 3) widen();
        nodes_.push_back({line.number, none32});
        auto const newest = static_cast<std::uint32_t>(nodes_.size() - 1);
        auto& slot = slots_[find_slot(slots_, line.name)];
        if (!slot.name) ++used_;
        slot.name = line.name;
        if (line.made) {
            nodes_.back().next = slot.made;
            slot.made = newest;
        } else {
            (slot.last == none32 ? slot.first : nodes_[slot.last].next) = newest;
            slot.last = newest;
            if (line.number >= next_) next_ = line.number + 1;
        }
    }

    /// The number for a message that the journal does not hold yet.
    std::uint64_t next() const noexcept { return next_; }

    /// The journal knows already that a run made this of message `number`.
    bool has_made(reference const& name, std::uint64_t number) const noexcept {
        if (slots_.empty()) return false;
        auto made = slots_[find_slot(slots_, name)].made;
        while (made != none32 && nodes_[made].number != number) made = nodes_[made].next;
        return made != none32;
    }

    /// The number of the history's next message, or of the one that it was made of; none for a new one.
    std::uint64_t find(reference const& name) noexcept {
        if (slots_.empty()) return none;
        auto& slot = slots_[find_slot(slots_, name)];
        if (!slot.name) return none;
        while (slot.first != none32 && nodes_[slot.first].number < at_) slot.first = nodes_[slot.first].next;
        auto const found = slot.first != none32 ? nodes_[slot.first].number : made_next(slot.made);
        if (found != none && found >= at_) at_ = found + 1;
        return found;
    }

private:
    struct node {
        std::uint64_t number = 0;
        std::uint32_t next = none32;  ///< the next one of the same name
    };
    struct slot_record {
        reference name = {};
        std::uint32_t first = none32;
        std::uint32_t last = none32;
        std::uint32_t made = none32;  ///< the newest of those that runs made
    };

    /// The same text may have been made of several messages: the first of those not passed yet, which is
    /// the one before this place where an answer follows its message.
    std::uint64_t made_next(std::uint32_t made) const noexcept {
        auto found = none;
        for (; made != none32; made = nodes_[made].next) {
            auto const number = nodes_[made].number;
            bool const passed = number + 1 < at_;
            bool const found_passed = found != none && found + 1 < at_;
            if (found == none || (found_passed && !passed) || (found_passed == passed && number < found)) found = number;
        }
        return found;
    }

    static std::size_t find_slot(std::vector<slot_record> const& slots, reference const& name) noexcept {
        std::size_t at = 0;
        for (auto const byte : name.digest) at = at * 31 + byte;
        auto const mask = slots.size() - 1;
        for (at &= mask; slots[at].name && slots[at].name != name;) at = (at + 1) & mask;
        return at;
    }

    void widen() {
        std::vector<slot_record> wider(slots_.empty() ? 16 : slots_.size() * 2);
        for (auto const& slot : slots_)
            if (slot.name) wider[find_slot(wider, slot.name)] = slot;
        slots_.swap(wider);
    }

    std::vector<slot_record> slots_;
    std::vector<node> nodes_;
    std::size_t used_ = 0;
    std::uint64_t at_ = 0;
    std::uint64_t next_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
