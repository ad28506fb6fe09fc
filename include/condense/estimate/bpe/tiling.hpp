// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <condense/estimate/bpe/tables.hpp>

// Finds the tokens of a long piece in linear time without merging it: the one sequence of tokens in which merging would
// not have joined bytes across a boundary. Exact if the parts of every token have lower ranks (table_shape::ordered).

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// True if merging the bytes of two tokens gives these two. Merges come in the order of ranks, so the tokens at the
/// boundary are taken apart in reverse order; at each step the pair at the boundary must not have merged earlier than
/// the merge that is undone. Costs a search for each level of parts.
inline bool may_be_neighbours(tables const& in, std::uint32_t left, std::uint32_t right) noexcept {
    auto limit = none;  // a pair of lower rank would have merged while these two were at the boundary
    for (;;) {
        if (auto const joined = in.pair(left, right); joined < limit) return false;
        // The rank of the last merge of each, plus one; 0 for a byte, which no merge gave.
        auto const left_rank = in.is_byte(left) ? 0 : left + 1;
        auto const right_rank = in.is_byte(right) ? 0 : right + 1;
        if (left_rank == 0 && right_rank == 0) return true;
        if (left_rank > right_rank) {
            limit = left;
            left = in.parts[left].right;
        } else {
            limit = right + 1;  // among equal ranks the leftmost merges first, which is that at the boundary
            right = in.parts[right].left;
        }
    }
}

/// Tiles pieces, longest token first with backtracking, and reuses its memory from one piece to the next. Each place is
/// abandoned at most once, so the time is linear in the piece, times the depth of a token.
class tiler {
public:
    /// The tokens of `text`, valid until the next call. Empty if the tables, from a forged image, allow no sequence.
    std::vector<std::uint32_t> const& operator()(tables const& in, std::string_view text) {
        tokens_.clear();
        dead_.assign(text.size() / 64 + 1, 0);
        std::size_t position = 0;
        auto next = longest(in, text, 0);
        while (position < text.size()) {
            // Every sequence that reaches a place ends in the same token there, so a place from which none leads to the
            // end is dead for all of them.
            while (next.token != none) {
                if (next.end <= text.size() && !is_dead(next.end) &&
                    (tokens_.empty() || may_be_neighbours(in, tokens_.back(), next.token)))
                    break;
                next = shorter(in, next.token, position);
            }
            if (next.token != none) {
                tokens_.push_back(next.token);
                position = next.end;
                if (position < text.size()) next = longest(in, text, position);
            } else {
                if (tokens_.empty()) return tokens_;
                dead_[position / 64] |= std::uint64_t{1} << position % 64;
                // In tables from a forged image the size of a token may differ from the path that led to it.
                position -= (std::min)(position, in.size(tokens_.back()));
                next = shorter(in, tokens_.back(), position);
                tokens_.pop_back();
            }
        }
        return tokens_;
    }
    /// Frees memory beyond what a usual piece needs, so that one huge piece does not hold it for ever.
    void shrink() {
        if (tokens_.capacity() > 1u << 16) *this = {};
    }

private:
    bool is_dead(std::size_t position) const noexcept { return (dead_[position / 64] >> position % 64 & 1u) != 0; }

    /// A token that may come next, and where it ends.
    struct candidate {
        std::uint32_t token = none;
        std::size_t end = 0;
    };
    /// The next shorter token at the same place.
    static candidate shorter(tables const& in, std::uint32_t token, std::size_t position) noexcept {
        auto const prefix = in.shorter[token];
        return {prefix, prefix == none ? 0 : position + in.size(prefix)};
    }
    /// The longest token that begins at `position`, by walking down the tree.
    static candidate longest(tables const& in, std::string_view text, std::size_t position) noexcept {
        auto const byte = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
        auto const first = byte(position);
        candidate best{in.byte_tokens[first], ++position};
        if (position == text.size()) return best;
        auto node = in.first_nodes[std::size_t{first} << 8 | byte(position)];
        auto const take = [&] {
            auto const token = in.token_at(node);
            best = {token != none ? token : best.token,
                    token != none ? position : best.end};  // without a branch, which would often be mispredicted
        };
        ++position;
        if (node != none && position < text.size() &&
            tables::is_three_bytes(first, byte(position - 1), byte(position))) {
            take();
            node = in.point_nodes[tables::point_of(first, byte(position - 1), byte(position))];
            ++position;
        }
        for (; node != none; node = in.edge(node, text[position++])) {
            take();
            if (position == text.size() || (node & leaf_bit) != 0) break;
        }
        return best;
    }

    std::vector<std::uint32_t> tokens_;
    std::vector<std::uint64_t> dead_;  ///< a bit for each place
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
