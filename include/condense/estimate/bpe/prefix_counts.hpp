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

// How many tokens a piece has that grows byte by byte: every beginning of it ends in one token, the only
// one that may stand after the last token of what is before it. Exact where the linear way is.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Keeps as much as the longest token needs, whatever the size of the piece. A byte costs a step in the tree
/// for each place in reach where a token may have begun.
class prefix_counts {
public:
    void add(tables const& in, char byte) {
        if (places_.empty()) places_.resize(std::bit_ceil(std::size_t{in.of.longest} + 4));
        auto const before = size_++;
        if (head_.size() == before && before < in.of.longest) head_ += byte;
        if (before != 0)
            walks_.push_back(
                {before - 1, in.first_nodes[std::size_t{newest_} << 8 | static_cast<unsigned char>(byte)]});
        newest_ = static_cast<unsigned char>(byte);
        walk const* usual = nullptr;  // most tokens are made of the last one and a byte
        std::size_t kept = 0;
        for (std::size_t each = 0; each < walks_.size(); ++each) {
            auto [begin, node] = walks_[each];
            if (begin + 1 != before) node = (node & leaf_bit) == 0 ? in.edge(node, byte) : none;
            // No token is longer, which a tree from a forged image may not know.
            if (node == none || size_ - begin > in.of.longest) continue;
            walks_[kept] = {begin, node};
            if (begin == begin_) usual = &walks_[kept];
            ++kept;
        }
        walks_.resize(kept);
        begin_ = before;
        auto last = in.byte_tokens[newest_];
        auto const ends_here = [&](walk const& each) {
            auto const token = in.ends_at(each.node);
            if (token == none || (each.begin != 0 && !may_stand(in, at(each.begin).token, token))) return false;
            begin_ = each.begin;
            last = token;
            return true;
        };
        if (usual == nullptr || !ends_here(*usual))
            for (auto const& each : walks_)
                if (ends_here(each)) break;
        at(size_) = {(begin_ == 0 ? 0 : at(begin_).count) + 1, last};
    }
    void add(tables const& in, std::string_view bytes) {
        for (char const byte : bytes) add(in, byte);
    }

    /// Tokens of the piece without its last `less` bytes, at most four.
    std::uint64_t count(tables const& in, std::size_t less = 0) const noexcept {
        auto const size = size_ - less;
        if (size == 0) return 0;
        if (size <= head_.size() && in.whole(std::string_view{head_}.substr(0, size)) != none) return 1;
        return at(size).count;
    }

    /// Places where a token may have begun that the next byte goes on with: at most the bytes of the longest.
    std::size_t reach() const noexcept { return walks_.size(); }
    bool empty() const noexcept { return size_ == 0; }
    void clear() noexcept {
        walks_.clear();
        head_.clear();
        size_ = begin_ = 0;
    }

private:
    struct place {
        std::uint64_t count = 0;
        std::uint32_t token = none;  ///< the last one of what ends here
    };
    struct walk {
        std::size_t begin = 0;
        std::uint32_t node = none;
    };

    place& at(std::size_t end) noexcept { return places_[end & (places_.size() - 1)]; }
    place const& at(std::size_t end) const noexcept { return places_[end & (places_.size() - 1)]; }

    std::vector<place> places_;  ///< the last ones, in a ring
    std::vector<walk> walks_;    ///< where a token may go on that began before
    std::string head_;           ///< while the piece as a whole may be a token
    std::size_t size_ = 0;
    std::size_t begin_ = 0;  ///< of the last token
    unsigned char newest_ = 0;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
