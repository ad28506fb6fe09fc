// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <condense/detail/xxhash.hpp>
#include <condense/estimate/bpe/counter.hpp>
#include <condense/estimate/bpe/safe_cut.hpp>

// Remembers the counts of blocks of text by their hash: a conversation that is sent again costs one hash a message, and
// a message that grows while it is received costs a hash and the new text.

namespace condense {
inline namespace v1 {

/// A cache for one vocabulary and one thread at a time. Hashes have 128 bits with a random seed, so that two texts with
/// the same hash do not occur and cannot be constructed. Of fixed size, 32 bytes a block: new blocks replace those
/// of their set that were used least recently.
class bpe_memo {
public:
    /// Bytes of the shortest text that is remembered. Shorter ones are counted about as fast as they are looked up.
    static constexpr std::size_t shortest = 96;
    /// Bytes of the shortest text of which the prefix is remembered, in case the text grows.
    static constexpr std::size_t prefix_size = 1'024;

    /// Room for 2^bits blocks, 3 to 24 bits; 256 KiB unless said otherwise.
    explicit bpe_memo(unsigned bits = 13)
        : bits_{bits < 3    ? 3
                : bits > 24 ? 24
                            : bits},
          places_(std::size_t{1} << bits_) {
        // Without entropy an address is the best seed at hand.
        if (::getentropy(&key_, sizeof key_) != 0) key_ = reinterpret_cast<std::uintptr_t>(this);
    }

    /// The tokens of `text`. `counter` must be of the same vocabulary in each call.
    std::uint64_t count(bpe_counter& counter, std::string_view text) {
        if (text.size() < shortest) return counter.count(text);
        auto const hash = XXH3_128bits_withSeed(text.data(), text.size(), key_);
        auto const set = places_.data() + (detail::bpe::place_of(hash.high64, bits_) & ~(ways - 1));
        for (auto entry = set; entry != set + ways; ++entry)
            if (entry->low == hash.low64 && entry->high == hash.high64 && entry->size == text.size()) {
                ++hits_;
                auto const hit = *entry;
                for (; entry != set; --entry) *entry = *(entry - 1);  // the newest stays longest
                *set = hit;
                return hit.count;
            }
        auto const count = text.size() < prefix_size ? count_uncached(counter, text) : count_with_prefix(counter, text);
        for (auto entry = set + ways - 1; entry != set; --entry) *entry = *(entry - 1);
        *set = {hash.low64, hash.high64, text.size(), count};
        return count;
    }

    /// How many blocks were found in the cache.
    std::uint64_t hits() const noexcept { return hits_; }
    /// Bytes that were counted, in blocks that were not found.
    std::uint64_t bytes() const noexcept { return counted_bytes_; }

private:
    /// Places that a block may have, so that few blocks are replaced before the table is full.
    static constexpr std::size_t ways = 8;
    /// A block that was counted.
    struct place {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::uint64_t size = 0;  ///< 0: free
        std::uint64_t count = 0;
    };

    /// The beginning of a long text, up to a safe cut.
    struct counted_prefix {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::size_t size = 0;  ///< 0: free
        std::uint64_t first = 0;  ///< its first eight bytes, which tell most other texts apart without a hash
        std::uint64_t count = 0;
    };

    std::uint64_t count_uncached(bpe_counter& counter, std::string_view text) {
        counted_bytes_ += text.size();
        return counter.count(text);
    }
    /// The count of a text that may continue one of the last few: the count of the longest known prefix, and that of
    /// the rest. Remembers a new prefix that ends near the end of the text.
    std::uint64_t count_with_prefix(bpe_counter& counter, std::string_view text) {
        counted_prefix prefix;
        std::memcpy(&prefix.first, text.data(), sizeof prefix.first);
        auto* target = recent_ + next_recent_;
        for (auto& candidate : recent_)
            // Whether the cut is safe depends on what follows it, which may be other text than before.
            if (candidate.first == prefix.first && candidate.size > prefix.size && candidate.size < text.size() &&
                detail::bpe::may_cut(text, candidate.size)) {
                auto const hash = XXH3_128bits_withSeed(text.data(), candidate.size, key_);
                if (hash.low64 == candidate.low && hash.high64 == candidate.high)
                    prefix = candidate, target = &candidate;
            }
        // If the last piece is long there may be no cut near the end, and no prefix is remembered.
        auto const from = prefix.size;
        auto const near_end = text.size() - from < furthest_cut ? from : text.size() - furthest_cut;
        auto const cut = detail::bpe::last_cut(text, near_end);
        if (cut <= from) return prefix.count + count_uncached(counter, text.substr(from));
        prefix.count += count_uncached(counter, text.substr(from, cut - from));
        auto const hash = XXH3_128bits_withSeed(text.data(), cut, key_);
        prefix.low = hash.low64, prefix.high = hash.high64, prefix.size = cut;
        if (target == recent_ + next_recent_) next_recent_ = (next_recent_ + 1) % std::size(recent_);
        *target = prefix;
        return prefix.count + count_uncached(counter, text.substr(cut));
    }

    /// How far from the end a cut is searched, in bytes. Text whose words are all longer is rare.
    static constexpr std::size_t furthest_cut = 4'096;

    unsigned bits_;
    std::vector<place> places_;
    std::uint64_t key_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t counted_bytes_ = 0;
    counted_prefix recent_[4] = {};
    std::size_t next_recent_ = 0;
};

}  // namespace v1
}  // namespace condense
