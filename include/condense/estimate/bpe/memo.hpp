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

// Counts of whole blocks of text by their hash: a conversation that is sent again costs one hash a message, and
// a message that grows while it is received costs a hash and what has come.

namespace condense {
inline namespace v1 {

/// For one vocabulary, and one thread at a time. Hashes have 128 bits under a random key, so that two texts
/// with one hash do not occur and can not be made. Of fixed size, 32 bytes a block: new blocks drive out old.
class bpe_memo {
public:
    /// Shorter texts are counted about as fast as they are hashed and found.
    static constexpr std::size_t shortest = 96;
    /// From here on it is looked whether a text begins with one that was counted lately.
    static constexpr std::size_t growing = 1'024;

    explicit bpe_memo(unsigned bits = 13)
        : bits_{bits < 3    ? 3
                : bits > 24 ? 24
                            : bits},
          places_(std::size_t{1} << bits_) {
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
        auto const count = text.size() < growing ? counted(counter, text) : grown(counter, text);
        for (auto each = set + ways - 1; each != set; --each) *each = *(each - 1);
        *set = {hash.low64, hash.high64, text.size(), count};
        return count;
    }

    /// How many blocks were not counted again.
    std::uint64_t found() const noexcept { return found_; }
    /// Bytes that were counted, of blocks that were not found.
    std::uint64_t bytes() const noexcept { return bytes_; }

private:
    static constexpr std::size_t ways =
        8;  ///< places a block may have: few blocks drive out another before the table is full
    struct place {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::uint64_t size = 0;  ///< 0: free
        std::uint64_t count = 0;
    };

    /// The beginning of a long text up to a cut that was safe there.
    struct beginning {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::size_t size = 0;  ///< 0: free
        std::uint64_t first = 0;  ///< its first bytes, so that few others are hashed
        std::uint64_t count = 0;
    };

    std::uint64_t counted(bpe_counter& counter, std::string_view text) {
        bytes_ += text.size();
        return counter.count(text);
    }
    /// The count of a text that may go on where one of the last few ended.
    std::uint64_t grown(bpe_counter& counter, std::string_view text) {
        beginning known;
        std::memcpy(&known.first, text.data(), sizeof known.first);
        auto* at = lately_ + next_;
        for (auto& each : lately_)
            // What follows decides whether a cut is safe, and it may be other text now.
            if (each.first == known.first && each.size > known.size && each.size < text.size() &&
                detail::bpe::may_cut(text, each.size)) {
                auto const hash = XXH3_128bits_withSeed(text.data(), each.size, key_);
                if (hash.low64 == each.low && hash.high64 == each.high) known = each, at = &each;
            }
        // Where the last piece is long there may be no cut near the end, and nothing is kept.
        auto const from = known.size;
        auto const near_end = text.size() - from < furthest_cut ? from : text.size() - furthest_cut;
        auto const cut = detail::bpe::last_cut(text, near_end);
        if (cut <= from) return known.count + counted(counter, text.substr(from));
        known.count += counted(counter, text.substr(from, cut - from));
        auto const hash = XXH3_128bits_withSeed(text.data(), cut, key_);
        known.low = hash.low64, known.high = hash.high64, known.size = cut;
        if (at == lately_ + next_) next_ = (next_ + 1) % std::size(lately_);
        *at = known;
        return known.count + counted(counter, text.substr(cut));
    }

    static constexpr std::size_t furthest_cut =
        4'096;  ///< bytes from the end; text of which each word is longer is rare

    unsigned bits_;
    std::vector<place> places_;
    std::uint64_t key_ = 0;
    std::uint64_t found_ = 0;
    std::uint64_t bytes_ = 0;
    beginning lately_[4] = {};
    std::size_t next_ = 0;
};

}  // namespace v1
}  // namespace condense
