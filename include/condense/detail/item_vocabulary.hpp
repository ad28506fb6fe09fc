// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/detail/items.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/words.hpp>

// Numbers items, and finds all that a text holds in one pass over its words.

namespace condense {
inline namespace v1 {
namespace detail {

/// A tree of words in a hash table: an item is a path from its root, node 0. Words are compared by hashes of 64 bits,
/// not by text. Whoever forges a collision makes one item pass for another, and nothing else. A template, so that a
/// program that only includes this instantiates nothing.
template <class = void>
class basic_item_vocabulary {
public:
    basic_item_vocabulary() : slots_(64) {}

    std::size_t size() const noexcept { return kinds_.size(); }
    item_kind kind(std::uint32_t item) const noexcept { return kinds_[item]; }

    /// Adds an item and returns its number, counted from 0. An item that was added before keeps its number; of its
    /// kinds the first one listed in item_kind counts.
    std::uint32_t add(item_kind kind, std::string_view item) {
        std::uint32_t node = 0;
        bool first = true;
        each_word(item, [&](word_print const& word) {
            node = child(node, first ? 0 : word.gap, word.word);
            first = false;
        });
        auto& number = ends_[node];
        if (number == none32) {  // a failed allocation leaves no number without a kind
            kinds_.push_back(kind);
            number = static_cast<std::uint32_t>(kinds_.size() - 1);
        } else if (kind < kinds_[number]) kinds_[number] = kind;
        return number;
    }

    /// The number of an item that was added, or none32.
    std::uint32_t number_of(std::string_view item) const noexcept {
        std::uint32_t node = 0;
        bool first = true;
        bool is_known = true;
        each_word(item, [&](word_print const& word) {
            if (is_known) node = find(node, first ? 0 : word.gap, word.word);
            is_known = is_known && node != 0;
            first = false;
        });
        return is_known ? ends_[node] : none32;
    }
    /// The item that is this one word, or none32.
    std::uint32_t of_word(std::uint64_t word) const noexcept { return ends_[find(0, 0, word)]; }

    /// Calls f(item, text) for each occurrence at word boundaries, overlapping ones included, in order of their ends,
    /// and before that g(word) for each word. Costs a lookup for each word, and one more for each item that the words
    /// before it have begun.
    template <class Function, class Words>
    void each_in(std::string_view text, Function&& f, Words&& g) const {
        struct begun {
            std::uint32_t node;
            char const* begin;
        };
        std::vector<begun> open;  // items that are begun and not ended
        each_word(text, [&](word_print const& word) {
            g(word);
            std::size_t count = 0;
            for (auto const& [node, begin] : open)
                if (auto const next_node = find(node, word.gap, word.word); next_node != 0)
                    open[count++] = {next_node, begin};
            open.resize(count);
            if (auto const next_node = find(0, 0, word.word); next_node != 0)
                open.push_back({next_node, word.text.data()});
            auto const* const end = word.text.data() + word.text.size();
            for (auto const& [node, begin] : open)
                if (ends_[node] != none32)
                    f(ends_[node], std::string_view{begin, static_cast<std::size_t>(end - begin)});
        });
    }
    template <class Function>
    void each_in(std::string_view text, Function&& f) const {
        each_in(text, f, [](word_print const&) {});
    }

private:
    /// A slot of the hash table, which has open addressing.
    struct slot {
        std::uint64_t key = 0;
        std::uint32_t node = 0;  ///< 0 in an empty slot: the root is no node's child
    };

    /// Mixes a node with the gap and the word that lead on from it.
    static constexpr std::uint64_t key_of(std::uint32_t node, std::uint64_t gap, std::uint64_t word) noexcept {
        auto mixed = (word ^ (gap << 31 | gap >> 33) ^ node * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
        return mixed ^ (mixed >> 32);
    }

    /// The child of a node, or 0. The table is at most half full, so probing ends soon.
    std::uint32_t find(std::uint32_t node, std::uint64_t gap, std::uint64_t word) const noexcept {
        auto const key = key_of(node, gap, word);
        auto const mask = slots_.size() - 1;
        for (auto index = as_size(key) & mask; slots_[index].node != 0; index = (index + 1) & mask)
            if (slots_[index].key == key) return slots_[index].node;
        return 0;
    }

    /// The child of a node, created if there is none.
    std::uint32_t child(std::uint32_t node, std::uint64_t gap, std::uint64_t word) {
        if (auto const existing = find(node, gap, word); existing != 0) return existing;
        if (ends_.size() * 2 >= slots_.size()) widen();
        auto const created = static_cast<std::uint32_t>(ends_.size());
        ends_.push_back(none32);
        insert(slots_, {key_of(node, gap, word), created});
        return created;
    }
    /// The key is not in the table, and there is an empty slot.
    static void insert(std::vector<slot>& table, slot const& entry) noexcept {
        auto const mask = table.size() - 1;
        auto index = as_size(entry.key) & mask;
        while (table[index].node != 0) index = (index + 1) & mask;
        table[index] = entry;
    }
    /// Doubles the table.
    void widen() {
        std::vector<slot> wider(slots_.size() * 2);
        for (auto const& entry : slots_)
            if (entry.node != 0) insert(wider, entry);
        slots_.swap(wider);
    }

    std::vector<slot> slots_;
    std::vector<std::uint32_t> ends_ = {none32};  ///< by node: the item that ends there, or none32
    std::vector<item_kind> kinds_;  ///< by item
};
using item_vocabulary = basic_item_vocabulary<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
