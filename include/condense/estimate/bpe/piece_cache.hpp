// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/estimate/bpe/hashing.hpp>

// Caches of how many tokens a piece has. The whole piece is the key, so a hit is exact, and a miss only costs time.
// Tables grow with their entries up to a limit; then new pieces replace old ones.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// A hash table in which an entry has one of a few neighbouring places, the newest in the first of its hash. `Entry`
/// has `free()`, `holds(key)` and `hash()`. Has 2^LeastBits places at first and 2^MostBits at most, and grows when one
/// place in 2^Sparse is used.
template <class Entry, unsigned LeastBits, unsigned MostBits, unsigned Sparse, std::size_t Ways = 2>
class piece_table {
    static_assert(LeastBits <= MostBits && (MostBits - LeastBits) % 2 == 0 && std::has_single_bit(Ways));

public:
    /// The entry of a key, valid until the next insert; null without one.
    template <class Key>
    Entry const* find(Key const& key, std::uint64_t hash) const noexcept {
        auto const index = place_of(hash, bits_);
        if (places_[index].holds(key)) return &places_[index];
        for (std::size_t way = 1; way < Ways; ++way)  // of one turn for two ways, which compilers then see
            if (places_[index ^ way].holds(key)) return &places_[index ^ way];
        return nullptr;
    }
    /// Starts to load the first place of a hash.
    void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&places_[place_of(hash, bits_)]); }
    /// Adds an entry that is not there yet; may replace another one.
    void insert(Entry const& entry, std::uint64_t hash) {
        if (used_ >> (bits_ - Sparse) != 0 && bits_ < MostBits) grow();
        add(entry, hash);
    }

private:
    /// The entry of the first place moves to another if one is free, and is forgotten otherwise: if it always moved,
    /// three pieces in turn would replace each other for ever.
    void add(Entry const& entry, std::uint64_t hash) noexcept {
        auto const index = place_of(hash, bits_);
        auto way = Ways - 1;
        while (way != 0 && !places_[index ^ way].free()) --way;
        used_ += places_[index ^ way].free();
        if (way != 0) places_[index ^ way] = places_[index];
        places_[index] = entry;
    }
    /// Fourfold, and so seldom, because the first pass over new memory costs more than some more places save.
    void grow() {
        auto const old = std::exchange(places_, std::vector<Entry>(std::size_t{4} << bits_));
        bits_ += 2;
        used_ = 0;
        for (auto const& each : old)
            if (!each.free()) add(each, each.hash());
    }

    unsigned bits_ = LeastBits;
    std::size_t used_ = 0;
    std::vector<Entry> places_ = std::vector<Entry>(std::size_t{1} << LeastBits);
};

/// A piece of at most 15 bytes. It has no more tokens than bytes, so both numbers fit into the top byte: the count in
/// the upper four bits, the size in the lower.
struct short_entry {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    static constexpr std::uint64_t size_and_text = (std::uint64_t{1} << 60) - 1;
    bool free() const noexcept { return high == 0; }
    bool holds(piece_key const& key) const noexcept { return low == key.low && (high & size_and_text) == key.high; }
    std::uint64_t hash() const noexcept { return piece_key{low, high & size_and_text}.hash(); }
};

/// The cache of short pieces, 256 KiB to 4 MiB. Grows when a quarter is used, because an entry in its second place is
/// found later.
class short_cache {
public:
    /// The tokens of a piece; 0 if it is not in the cache.
    std::uint32_t find(piece_key const& key, std::uint64_t hash) const noexcept {
        auto const entry = table_.find(key, hash);
        return entry == nullptr ? 0 : static_cast<std::uint32_t>(entry->high >> 60);
    }
    void insert(piece_key const& key, std::uint64_t hash, std::uint32_t count) {
        table_.insert({key.low, key.high | std::uint64_t{count} << 60}, hash);
    }

private:
    piece_table<short_entry, 14, 18, 2> table_;
};

/// A piece of 16 to 62 bytes, in a cache line of its own.
struct alignas(64) middle_entry {
    static constexpr std::size_t longest = 62;

    char text[longest] = {};
    std::uint8_t size = 0;
    std::uint8_t count = 0;

    bool free() const noexcept { return size == 0; }
    bool holds(std::string_view piece) const noexcept {
        return size == piece.size() && std::memcmp(text, piece.data(), piece.size()) == 0;
    }
    std::uint64_t hash() const noexcept { return text_hash({text, size}); }
};

/// The cache of pieces of middle size, 64 KiB to 4 MiB. Grows when half is used.
class middle_cache {
public:
    static constexpr std::size_t longest = middle_entry::longest;

    /// The tokens of a piece of at most 62 bytes, whose text_hash() is `hash`; 0 if it is not in the cache.
    std::uint32_t find(std::string_view piece, std::uint64_t hash) const noexcept {
        auto const entry = table_.find(piece, hash);
        return entry == nullptr ? 0 : entry->count;
    }
    /// Adds a piece that is not in the cache.
    void insert(std::string_view piece, std::uint64_t hash, std::uint32_t count) {
        middle_entry entry;
        std::memcpy(entry.text, piece.data(), piece.size());
        entry.size = static_cast<std::uint8_t>(piece.size());
        entry.count = static_cast<std::uint8_t>(count);
        table_.insert(entry, hash);
    }
    /// Starts to load the place of a hash.
    void prefetch(std::uint64_t hash) const noexcept { table_.prefetch(hash); }

private:
    piece_table<middle_entry, 10, 16, 1> table_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
