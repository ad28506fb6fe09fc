// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <unistd.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <condense/estimate/bpe/counter.hpp>

// Counts of whole blocks of text by their hash: a conversation that is sent again costs one hash a message.

namespace condense {
inline namespace v1 {

/// For one vocabulary, and one thread at a time. Hashes have 128 bits under a random key, so that two texts
/// with one hash do not occur and can not be made. Of fixed size, 32 bytes a block: new blocks drive out old.
class bpe_memo {
public:
    /// Shorter texts are counted about as fast as they are hashed and found.
    static constexpr std::size_t shortest = 96;

    explicit bpe_memo(unsigned bits = 13) : bits_{bits < 3 ? 3 : bits > 24 ? 24 : bits}, places_(std::size_t{1} << bits_) {
        if (::getentropy(&key_, sizeof key_) != 0) key_ = reinterpret_cast<std::uintptr_t>(this);
    }

    std::uint64_t count(bpe_counter& counter, std::string_view text) {
        if (text.size() < shortest) return counter.count(text);
        auto const hash = XXH3_128bits_withSeed(text.data(), text.size(), key_);
        auto const set = places_.data() + (detail::bpe::place_of(hash.high64, bits_) & ~(ways - 1));
        for (auto each = set; each != set + ways; ++each)
            if (each->low == hash.low64 && each->high == hash.high64 && each->size == text.size()) {
                ++found_;
                auto const known = *each;
                for (; each != set; --each) *each = *(each - 1);  // the newest stays longest
                *set = known;
                return known.count;
            }
        auto const count = counter.count(text);
        for (auto each = set + ways - 1; each != set; --each) *each = *(each - 1);
        *set = {hash.low64, hash.high64, text.size(), count};
        return count;
    }

    /// How many blocks were not counted again.
    std::uint64_t found() const noexcept { return found_; }

private:
    static constexpr std::size_t ways = 8;  ///< places a block may have: few blocks drive out another before the table is full
    struct place {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::uint64_t size = 0;  ///< 0: free
        std::uint64_t count = 0;
    };

    unsigned bits_;
    std::vector<place> places_;
    std::uint64_t key_ = 0;
    std::uint64_t found_ = 0;
};

}  // namespace v1
}  // namespace condense
