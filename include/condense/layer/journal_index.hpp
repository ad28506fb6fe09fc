// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/call_index.hpp>
#include <condense/detail/sort.hpp>

// Which messages of a history a journal already holds. Both are in the order of arrival, so each message is looked up
// after the one before it: a new message is not taken for an equal one that was dropped long ago.

namespace condense {
inline namespace v1 {
namespace detail {

/// An index of journal entries by name, built with one add() for each. Every message of the history is then asked for
/// once, in order, by find(). A hash table with open addressing whose slots chain the entries of one name by number.
/// Keeps no content; add and find cost O(1) unless many entries share a name and come out of order. A template so
/// that only programs that record have its code.
template <class = void>
class basic_journal_index {
public:
    static constexpr std::uint64_t none = u64_limit;

    /// Adds one entry of the journal, whatever its kind. The number of an original that is larger than all before
    /// moves next().
    void add(journal_entry const& entry) {
        if (entry.number == none) return;
        if (!entry.is_derived && entry.number >= next_) next_ = entry.number + 1;
        if (!entry.name) return;
        if ((occupied_ + 1) * 4 >= slots_.size() * 3) widen();
        auto const newest = static_cast<std::uint32_t>(nodes_.size());
        // Nothing can be derived from a message that has yet to arrive: such an entry is the digest of a view.
        nodes_.push_back({entry.number, none32, entry.is_derived, entry.is_derived && entry.number >= next_});
        auto& slot = slots_[find_slot(slots_, entry.name)];
        if (!slot.name) ++occupied_;
        slot.name = entry.name;
        // Chains ascend by number, which is nearly always the order of the journal: try the end first.
        auto* link = &slot.first;
        if (slot.last != none32 && nodes_[slot.last].number <= entry.number) link = &nodes_[slot.last].next;
        while (*link != none32 && nodes_[*link].number <= entry.number) link = &nodes_[*link].next;
        nodes_[newest].next = *link;
        *link = newest;
        if (nodes_[newest].next == none32) slot.last = newest;
        slot.rest = slot.first;
    }

    bool empty() const noexcept { return slots_.empty(); }

    /// The number for a message that the journal does not hold yet.
    std::uint64_t next() const noexcept { return next_; }

    /// Looks up the history's next message: its number, or that of the message it was derived from; `none` if the
    /// journal does not hold it at or after the present position. Moves the position behind it. Each entry is returned
    /// once.
    std::uint64_t find(reference const& name) noexcept {
        if (slots_.empty()) return none;
        auto& slot = slots_[find_slot(slots_, name)];
        while (slot.rest != none32) {
            auto const& match = nodes_[slot.rest];
            slot.rest = match.next;
            if (match.view) continue;
            // A derived message may follow its original at once, as the answer to a dead call does.
            if (match.number < position_ && !(match.derived && match.number + 1 == position_)) continue;
            if (match.number >= position_) position_ = match.number + 1;
            return match.number;
        }
        return none;
    }

    /// True if the journal holds a derived entry of this name for message `number`.
    bool has_derived(reference const& name, std::uint64_t number) const noexcept {
        if (slots_.empty()) return false;
        for (auto id = slots_[find_slot(slots_, name)].first; id != none32; id = nodes_[id].next)
            if (nodes_[id].derived && nodes_[id].number == number) return true;
        return false;
    }

    /// True if the journal holds message `number`, or a message derived from it, under this name.
    bool holds(reference const& name, std::uint64_t number) const noexcept {
        if (slots_.empty()) return false;
        for (auto id = slots_[find_slot(slots_, name)].first; id != none32; id = nodes_[id].next)
            if (!nodes_[id].view && nodes_[id].number == number) return true;
        return false;
    }
    /// The numbers of all originals, ascending. Allocates and sorts.
    std::vector<std::uint64_t> numbers() const {
        std::vector<std::uint64_t> out;
        out.reserve(nodes_.size());
        for (auto const& entry : nodes_)
            if (!entry.derived) out.push_back(entry.number);
        detail::sort(out, [](std::uint64_t left, std::uint64_t right) { return left < right; });
        return out;
    }

    /// The number of the message that arrived after a run left the view with this digest, of several the newest; `none`
    /// if no run did.
    std::uint64_t after_view(reference const& digest) const noexcept {
        if (slots_.empty()) return none;
        auto const newest = slots_[find_slot(slots_, digest)].last;
        return newest != none32 && nodes_[newest].view ? nodes_[newest].number : none;
    }
    /// The rest of the history arrived as message `number` or later: find() returns no earlier one.
    void seek(std::uint64_t number) noexcept {
        if (number > position_) position_ = number;
    }

private:
    struct node {
        std::uint64_t number = 0;
        std::uint32_t next = none32;  ///< the next one of the same name
        bool derived = false;
        bool view = false;  ///< its name is the digest of all that a run left before message `number` arrived
    };
    struct slot_record {
        reference name = {};
        std::uint32_t first = none32;  ///< an index of nodes_
        std::uint32_t last = none32;
        std::uint32_t rest = none32;  ///< the first that find() has not passed yet
    };

    /// The slot with this name, else the free one for it. Sizes are powers of two; names are content hashes already.
    static std::size_t find_slot(std::vector<slot_record> const& table, reference const& name) noexcept {
        std::size_t index = 0;
        for (auto const byte : name.digest) index = index * 31 + byte;
        auto const mask = table.size() - 1;
        for (index &= mask; table[index].name && table[index].name != name;) index = (index + 1) & mask;
        return index;
    }

    void widen() {
        std::vector<slot_record> wider(slots_.empty() ? 16 : slots_.size() * 2);
        for (auto const& slot : slots_)
            if (slot.name) wider[find_slot(wider, slot.name)] = slot;
        slots_.swap(wider);
    }

    std::vector<slot_record> slots_;
    std::vector<node> nodes_;
    std::size_t occupied_ = 0;  ///< slots in use; at most three quarters
    std::uint64_t position_ = 0;  ///< numbers below it have been passed
    std::uint64_t next_ = 0;
};
using journal_index = basic_journal_index<>;

}  // namespace detail

using detail::journal_index;

}  // namespace v1
}  // namespace condense
