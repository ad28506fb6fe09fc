// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/detail/saturate.hpp>
#include <condense/replay/figures.hpp>
#include <condense/replay/words.hpp>

// Items by number, and which of them a text holds, all in one pass over its words.

namespace condense {
inline namespace v1 {
namespace detail {

/// A tree of words: an item is a way from its root. Text is compared by hashes of 64 bits, which may be forged:
/// what is measured decides nothing.
class item_vocabulary {
public:
    item_vocabulary() : slots_(64) {}

    std::size_t size() const noexcept { return kinds_.size(); }
    item_kind kind(std::uint32_t item) const noexcept { return kinds_[item]; }

    /// Gives its number. One that was added before keeps it, and of its kinds the first of the list.
    std::uint32_t add(item_kind kind, std::string_view item) {
        std::uint32_t node = 0;
        bool first = true;
        each_word(item, [&](word_print const& next) {
            node = child(node, first ? 0 : next.gap, next.word);
            first = false;
        });
        auto& found = ends_[node];
        if (found == none32) {
            found = static_cast<std::uint32_t>(kinds_.size());
            kinds_.push_back(kind);
        } else if (kind < kinds_[found]) kinds_[found] = kind;
        return found;
    }

    /// Calls f(item) for each occurrence at word boundaries. Costs a step for each word, and for each further
    /// one while it may be in an item.
    template <class Function>
    void each_in(std::string_view text, Function&& f) const {
        std::vector<std::uint32_t> open;  // nodes that the words so far lead to
        each_word(text, [&](word_print const& next) {
            std::size_t kept = 0;
            for (auto const node : open)
                if (auto const to = find(node, next.gap, next.word); to != 0) open[kept++] = to;
            open.resize(kept);
            if (auto const to = find(0, 0, next.word); to != 0) open.push_back(to);
            for (auto const node : open)
                if (ends_[node] != none32) f(ends_[node]);
        });
    }

private:
    struct slot {
        std::uint64_t key = 0;
        std::uint32_t node = 0;  ///< 0 where it is empty: the root is nobody's child
    };

    static constexpr std::uint64_t key_of(std::uint32_t node, std::uint64_t gap, std::uint64_t word) noexcept {
        auto mixed = (word ^ (gap << 31 | gap >> 33) ^ node * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
        return mixed ^ (mixed >> 32);
    }

    std::uint32_t find(std::uint32_t node, std::uint64_t gap, std::uint64_t word) const noexcept {
        auto const key = key_of(node, gap, word);
        auto const mask = slots_.size() - 1;
        for (auto at = as_size(key) & mask; slots_[at].node != 0; at = (at + 1) & mask)
            if (slots_[at].key == key) return slots_[at].node;
        return 0;
    }

    std::uint32_t child(std::uint32_t node, std::uint64_t gap, std::uint64_t word) {
        if (auto const found = find(node, gap, word); found != 0) return found;
        if (ends_.size() * 2 >= slots_.size()) widen();
        auto const made = static_cast<std::uint32_t>(ends_.size());
        ends_.push_back(none32);
        put(slots_, {key_of(node, gap, word), made});
        return made;
    }
    static void put(std::vector<slot>& table, slot const& one) noexcept {
        auto const mask = table.size() - 1;
        auto at = as_size(one.key) & mask;
        while (table[at].node != 0) at = (at + 1) & mask;
        table[at] = one;
    }
    void widen() {
        std::vector<slot> wider(slots_.size() * 2);
        for (auto const& one : slots_)
            if (one.node != 0) put(wider, one);
        slots_.swap(wider);
    }

    std::vector<slot> slots_;
    std::vector<std::uint32_t> ends_ = {none32};  ///< by node: the item that ends there
    std::vector<item_kind> kinds_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
