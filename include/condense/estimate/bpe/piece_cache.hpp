// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/estimate/bpe/hashing.hpp>

// How many tokens pieces seen before have. The whole piece is the key, so what is found is exact; what
// is not found is only slower. Tables grow with what they hold up to a limit; then new pieces drive out old ones.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Entries in one of two places each, the one that was put last in the first. `Entry` has `free()`, `holds(key)` and
/// `hash()`. It grows when more than one place in 2^Sparse is used.
template <class Entry, unsigned LeastBits, unsigned MostBits, unsigned Sparse>
class piece_table {
    static_assert(LeastBits <= MostBits && (MostBits - LeastBits) % 2 == 0);

public:
    template <class Key>
    Entry const* find(Key const& key, std::uint64_t hash) const noexcept {
        auto const at = place_of(hash, bits_);
        if (places_[at].holds(key)) return &places_[at];
        if (places_[at ^ 1].holds(key)) return &places_[at ^ 1];
        return nullptr;
    }
    void put(Entry const& entry, std::uint64_t hash) {
        if (used_ >> (bits_ - Sparse) != 0 && bits_ < MostBits) grow();
        add(entry, hash);
    }

private:
    /// What stood in the first place moves to the second where that is free, and else is forgotten: were it to move
    /// always, pieces would drive each other out in a round.
    void add(Entry const& entry, std::uint64_t hash) noexcept {
        auto const at = place_of(hash, bits_);
        auto& first = places_[at];
        auto& second = places_[at ^ 1];
        used_ += first.free() || second.free();
        if (second.free()) second = first;
        first = entry;
    }
    /// Fourfold: seldom, as new memory costs a first pass more than the places save.
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

/// A piece of at most 15 bytes. It has no more tokens than bytes, so both stand in the top byte.
struct short_entry {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    static constexpr std::uint64_t size_and_text = (std::uint64_t{1} << 60) - 1;
    bool free() const noexcept { return high == 0; }
    bool holds(piece_key const& key) const noexcept { return low == key.low && (high & size_and_text) == key.high; }
    std::uint64_t hash() const noexcept { return piece_key{low, high & size_and_text}.hash(); }
};

/// From 256 KiB to 4 MiB; a quarter full before it grows, since what stands in its second place is found later.
class short_cache {
public:
    /// 0 where it is not known.
    std::uint32_t find(piece_key const& key, std::uint64_t hash) const noexcept {
        auto const found = table_.find(key, hash);
        return found == nullptr ? 0 : static_cast<std::uint32_t>(found->high >> 60);
    }
    void put(piece_key const& key, std::uint64_t hash, std::uint32_t count) {
        table_.put({key.low, key.high | std::uint64_t{count} << 60}, hash);
    }

private:
    piece_table<short_entry, 14, 18, 2> table_;
};

/// A piece of 16 to 62 bytes, in a line of its own.
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

/// From 64 KiB to 4 MiB, half full before it grows.
class middle_cache {
public:
    static constexpr std::size_t longest = middle_entry::longest;

    /// `count` gives the tokens where they are not known.
    template <class Count>
    std::uint32_t operator()(std::string_view piece, Count count) {
        auto const hash = text_hash(piece);
        if (auto const found = table_.find(piece, hash); found != nullptr) return found->count;
        middle_entry entry;
        std::memcpy(entry.text, piece.data(), piece.size());
        entry.size = static_cast<std::uint8_t>(piece.size());
        entry.count = static_cast<std::uint8_t>(count());
        table_.put(entry, hash);
        return entry.count;
    }

private:
    piece_table<middle_entry, 10, 16, 1> table_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
