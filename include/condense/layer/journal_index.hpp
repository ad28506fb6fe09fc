// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/call_index.hpp>
#include <condense/detail/sort.hpp>

// Which messages of a history a journal already holds. Both are in the order in which the messages
// came, so each message is looked for after the one before it: an equal one that was dropped long
// ago does not pass for a new one.

namespace condense {
inline namespace v1 {
namespace detail {

template <class = void>
class basic_journal_index {
public:
    static constexpr std::uint64_t none = u64_limit;

    void add(journal_entry const& line) {
        if (line.number == none) return;
        if (!line.made && line.number >= next_) next_ = line.number + 1;
        if (!line.name) return;
        if ((used_ + 1) * 4 >= slots_.size() * 3) widen();
        auto const newest = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({line.number, none32, line.made, line.made && line.number >= next_});
        auto& slot = slots_[find_slot(slots_, line.name)];
        if (!slot.name) ++used_;
        slot.name = line.name;
        // In the order of their numbers, which is nearly always the order in which they come.
        auto* place = &slot.first;
        if (slot.last != none32 && nodes_[slot.last].number <= line.number) place = &nodes_[slot.last].next;
        while (*place != none32 && nodes_[*place].number <= line.number) place = &nodes_[*place].next;
        nodes_[newest].next = *place;
        *place = newest;
        if (nodes_[newest].next == none32) slot.last = newest;
        slot.rest = slot.first;
    }

    bool empty() const noexcept { return slots_.empty(); }

    /// The number for a message that the journal does not hold yet.
    std::uint64_t next() const noexcept { return next_; }

    /// The number of the history's next message, or of the one that it was made of; none for a new one.
    std::uint64_t find(reference const& name) noexcept {
        if (slots_.empty()) return none;
        auto& slot = slots_[find_slot(slots_, name)];
        while (slot.rest != none32) {
            auto const& found = nodes_[slot.rest];
            slot.rest = found.next;
            if (found.view) continue;
            // What was made of a message may stand beside it, as the answer to a call does.
            if (found.number < at_ && !(found.made && found.number + 1 == at_)) continue;
            if (found.number >= at_) at_ = found.number + 1;
            return found.number;
        }
        return none;
    }

    /// The journal says already that this was made of the message.
    bool knows_made(reference const& name, std::uint64_t number) const noexcept {
        if (slots_.empty()) return false;
        for (auto at = slots_[find_slot(slots_, name)].first; at != none32; at = nodes_[at].next)
            if (nodes_[at].made && nodes_[at].number == number) return true;
        return false;
    }

    /// The message with this number is held under this name, or what was made of it is.
    bool holds(reference const& name, std::uint64_t number) const noexcept {
        if (slots_.empty()) return false;
        for (auto at = slots_[find_slot(slots_, name)].first; at != none32; at = nodes_[at].next)
            if (!nodes_[at].view && nodes_[at].number == number) return true;
        return false;
    }
    /// Under whatever name: the numbers of all messages that are held, ascending.
    std::vector<std::uint64_t> numbers() const {
        std::vector<std::uint64_t> out;
        out.reserve(nodes_.size());
        for (auto const& each : nodes_)
            if (!each.made) out.push_back(each.number);
        detail::sort(out, [](std::uint64_t left, std::uint64_t right) { return left < right; });
        return out;
    }

    /// The number of the message that came after the view with this digest, the newest one; none for no view.
    std::uint64_t after_view(reference const& digest) const noexcept {
        if (slots_.empty()) return none;
        auto const newest = slots_[find_slot(slots_, digest)].last;
        return newest != none32 && nodes_[newest].view ? nodes_[newest].number : none;
    }
    /// What the history holds from here on came as message `number` or later.
    void seek(std::uint64_t number) noexcept {
        if (number > at_) at_ = number;
    }

private:
    struct node {
        std::uint64_t number = 0;
        std::uint32_t next = none32;  ///< the next one of the same name
        bool made = false;
        bool view = false;  ///< a digest of all that a run left, before message `number` came
    };
    struct slot_record {
        reference name = {};
        std::uint32_t first = none32;
        std::uint32_t last = none32;
        std::uint32_t rest = none32;  ///< the first one that was not passed yet
    };

    static std::size_t find_slot(std::vector<slot_record> const& table, reference const& name) noexcept {
        std::size_t at = 0;
        for (auto const byte : name.digest) at = at * 31 + byte;
        auto const mask = table.size() - 1;
        for (at &= mask; table[at].name && table[at].name != name;) at = (at + 1) & mask;
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
using journal_index = basic_journal_index<>;

}  // namespace detail

using detail::journal_index;

}  // namespace v1
}  // namespace condense
