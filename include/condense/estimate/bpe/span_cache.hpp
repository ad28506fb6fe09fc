// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <condense/detail/saturate.hpp>
#include <condense/estimate/bpe/hashing.hpp>
#include <condense/estimate/bpe/piece_cache.hpp>
#include <condense/estimate/bpe/safe_cut.hpp>
#include <condense/estimate/bpe/split_script.hpp>

// Remembers how many tokens a span of text has, many pieces at a time, so that text which comes again is not even
// split. The whole span is kept and compared, so a hit is exact.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

// Shorter spans cost more at first sight, longer ones meet again less often.
inline constexpr std::size_t shortest_span = 512;
inline constexpr std::size_t longest_span = 1'536;

/// Where the span from `position` on ends: at a safe cut, so that its pieces are the same whatever surrounds it. Behind
/// a line if one ends early enough, so that spans meet again where lines do. 0 if there is no such end.
inline std::size_t span_end(std::string_view text, std::size_t position) noexcept {
    if (text.size() - position <= shortest_span) return 0;
    auto const first = position + shortest_span;
    auto const last = (std::min)(text.size() - 1, position + longest_span);
    auto const line = text.substr(0, (std::min)(last, first + shortest_span)).find('\n', first);
    if (line != text.npos)
        for (auto const end : {line + 1, line})
            if (may_cut(text, end)) return end;
    // Other places that are worth a look: before ASCII other than letters, and before most punctuation of CJK.
    auto const may_follow = [](char byte) {
        return static_cast<unsigned char>(byte) < 0x80 ? !script_splitter::is_ascii_letter(byte)
                                                       : byte == '\xE3' || byte == '\xEF';
    };
    for (auto end = first; end <= last; ++end)
        if (may_follow(text[end]) && may_cut(text, end)) return end;
    return 0;
}

/// The hash of a span. Four sums at a time, because one would wait for each product.
inline std::uint64_t span_hash(std::string_view text) noexcept {
    std::uint64_t sums[4] = {text.size(), odd_a, odd_b, odd_a ^ odd_b};
    auto const add = [&](char const* from) {
        for (std::size_t each = 0; each < 4; ++each) {
            auto const mixed = (sums[each] ^ load(from + 8 * each)) * odd_a;
            sums[each] = mixed ^ mixed >> 32;
        }
    };
    for (std::size_t position = 0; text.size() - position > 32; position += 32) add(text.data() + position);
    add(text.data() + text.size() - 32);
    return (((sums[0] * odd_b ^ sums[1]) * odd_b ^ sums[2]) * odd_b ^ sums[3]) * odd_b;
}

/// A ring of texts: the oldest is overwritten first. Allocates blocks as they are needed.
class text_ring {
public:
    static constexpr std::size_t block_size = std::size_t{1} << 16;
    static constexpr std::size_t most_blocks = 256;

    /// Keeps a text of at most block_size bytes; returns its place, by which it is found until its block is used again.
    std::uint64_t push(std::string_view text) {
        if (blocks_.empty() || current().size() + text.size() > block_size) {
            ++begun_;
            if (begun_ > blocks_.size() && blocks_.size() < most_blocks) blocks_.emplace_back();
            current().clear();
            current().reserve(block_size);
        }
        auto const offset = current().size();
        current().insert(current().end(), text.begin(), text.end());
        return begun_ * block_size + offset;
    }
    /// True if `text` is kept at `place`, which push() returned for a text of the same size.
    bool holds(std::uint64_t place, std::string_view text) const noexcept {
        if (begun_ - place / block_size >= most_blocks) return false;
        return std::memcmp(blocks_[index(place / block_size)].data() + place % block_size, text.data(), text.size()) ==
               0;
    }

private:
    static std::size_t index(std::uint64_t block) noexcept { return as_size((block - 1) % most_blocks); }
    std::vector<char>& current() noexcept { return blocks_[index(begun_)]; }

    std::vector<std::vector<char>> blocks_;
    std::uint64_t begun_ = 0;  ///< blocks so far; the last one is written to
};

/// Where a span is kept, what it counts, and what tells most others apart.
struct span_entry {
    std::uint64_t place = 0;
    std::uint32_t tag = 0;  ///< the upper half of its hash
    std::uint16_t size = 0;
    std::uint16_t count = 0;

    struct key {
        text_ring const& ring;
        std::string_view text;
        std::uint64_t hash;
    };
    bool free() const noexcept { return size == 0; }
    bool holds(key const& wanted) const noexcept {
        return tag == wanted.hash >> 32 && size == wanted.text.size() && wanted.ring.holds(place, wanted.text);
    }
    std::uint64_t hash() const noexcept { return std::uint64_t{tag} << 32; }
};

/// The cache of spans: up to 16 MiB of text, and 2 MiB to find it.
class span_cache {
public:
    /// The tokens of a span; 0 if it is not in the cache.
    std::uint32_t find(std::string_view text, std::uint64_t hash) const noexcept {
        auto const entry = table_.find(span_entry::key{ring_, text, hash}, hash);
        return entry == nullptr ? 0 : entry->count;
    }
    /// Adds a span of at most longest_span bytes that is not in the cache.
    void insert(std::string_view text, std::uint64_t hash, std::uint64_t count) {
        table_.insert({ring_.push(text), static_cast<std::uint32_t>(hash >> 32),
                       static_cast<std::uint16_t>(text.size()), static_cast<std::uint16_t>(count)},
                      hash);
    }

private:
    static_assert(longest_span * 3 <= 0xFFFF, "an ill-formed byte has three tokens at most");

    piece_table<span_entry, 9, 17, 2, 4> table_;
    text_ring ring_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
