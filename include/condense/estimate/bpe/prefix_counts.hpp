// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/estimate/bpe/tables.hpp>
#include <condense/estimate/bpe/tiling.hpp>

// Counts the tokens of a piece that grows byte by byte, for every prefix of it. Each prefix ends in the one token that
// may follow the last token of what is before it. Exact where tiling is.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Remembers as many prefixes as the longest token has bytes, whatever the size of the piece. A byte costs a step in
/// the tree for each earlier place at which a token may have begun that is still going on.
class prefix_counts {
public:
    /// Appends a byte; `in` must be the same tables in each call.
    void add(tables const& in, char byte) {
        if (places_.empty()) places_.resize(std::bit_ceil(std::size_t{in.shape.longest} + 4));
        auto const before = size_++;
        if (head_.size() == before && before < in.shape.longest) head_ += byte;
        if (before != 0)
            walks_.push_back(
                {before - 1, in.first_nodes[std::size_t{newest_} << 8 | static_cast<unsigned char>(byte)]});
        newest_ = static_cast<unsigned char>(byte);
        walk const* usual = nullptr;  // tried first: most often the last token goes on with the byte
        std::size_t remaining = 0;
        // Takes each walk a step further, and keeps those that can go on.
        for (std::size_t each = 0; each < walks_.size(); ++each) {
            auto [begin, node] = walks_[each];
            // A walk of two bytes has its node already.
            if (begin + 1 != before) node = (node & leaf_bit) == 0 ? in.edge(node, byte) : none;
            // No token is longer; a tree from a forged image may say otherwise.
            if (node == none || size_ - begin > in.shape.longest) continue;
            walks_[remaining] = {begin, node};
            if (begin == begin_) usual = &walks_[remaining];
            ++remaining;
        }
        walks_.resize(remaining);
        begin_ = before;
        auto last = in.byte_tokens[newest_];
        auto const accept = [&](walk const& each) {
            auto const token = in.token_at(each.node);
            if (token == none || (each.begin != 0 && !may_be_neighbours(in, place_at(each.begin).token, token)))
                return false;
            begin_ = each.begin;
            last = token;
            return true;
        };
        // Exactly one token may end here, so the order in which walks are tried does not matter.
        if (usual == nullptr || !accept(*usual))
            for (auto const& each : walks_)
                if (accept(each)) break;
        place_at(size_) = {(begin_ == 0 ? 0 : place_at(begin_).count) + 1, last};
    }
    void add(tables const& in, std::string_view bytes) {
        for (char const byte : bytes) add(in, byte);
    }

    /// The tokens of the piece without its last `less` bytes, at most four. A piece that is a token as a whole has one,
    /// even if merging would give more.
    std::uint64_t count(tables const& in, std::size_t less = 0) const noexcept {
        auto const size = size_ - less;
        if (size == 0) return 0;
        if (size <= head_.size() && in.find(std::string_view{head_}.substr(0, size)) != none) return 1;
        return place_at(size).count;
    }

    /// How many places a token may have begun at that is still going on: less than the bytes of the longest token.
    std::size_t reach() const noexcept { return walks_.size(); }
    bool empty() const noexcept { return size_ == 0; }
    void clear() noexcept {
        walks_.clear();
        head_.clear();
        size_ = begin_ = 0;
    }

private:
    /// The end of a prefix.
    struct place {
        std::uint64_t count = 0;
        std::uint32_t token = none;  ///< the last one of the prefix
    };
    /// A path down the tree from the place where a token may have begun.
    struct walk {
        std::size_t begin = 0;
        std::uint32_t node = none;
    };

    place& place_at(std::size_t end) noexcept { return places_[end & (places_.size() - 1)]; }
    place const& place_at(std::size_t end) const noexcept { return places_[end & (places_.size() - 1)]; }

    std::vector<place> places_;  ///< the newest prefixes, in a ring whose size is a power of two
    std::vector<walk> walks_;  ///< by begin, the earliest first
    std::string head_;  ///< the first bytes, for as long as the whole piece may be a token
    std::size_t size_ = 0;
    std::size_t begin_ = 0;  ///< where the last token begins
    unsigned char newest_ = 0;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
