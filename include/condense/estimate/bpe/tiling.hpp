// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/estimate/bpe/tables.hpp>

// Finds the tokens of a long piece in linear time without merging it: the one sequence of tokens in which merging would
// not have joined bytes across a boundary. Exact if the parts of every token have lower ranks (table_shape::ordered).

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// True if merging the bytes of two tokens gives these two. Merges come in the order of ranks, so the tokens at the
/// boundary are taken apart in reverse order; at each step the pair at the boundary must not have merged earlier than
/// the merge that is undone. Costs a search for each level of parts. `before` and `behind` are the tokens of the code
/// points at the boundary if no token goes over it with a part of one; they need not be taken apart, since no such part
/// merges.
inline bool may_be_neighbours(tables const& in, std::uint32_t left, std::uint32_t right, std::uint32_t before = none,
                              std::uint32_t behind = none) noexcept {
    auto limit = none;  // a pair of lower rank would have merged while these two were at the boundary
    for (;;) {
        if (auto const joined = in.pair(left, right); joined < limit) return false;
        // The rank of the last merge of each, plus one; 0 for a byte, which no merge gave.
        auto const left_rank = in.is_byte(left) ? 0 : left + 1;
        auto const right_rank = in.is_byte(right) ? 0 : right + 1;
        if (left_rank == 0 && right_rank == 0) return true;
        if (left_rank > right_rank) {
            if (left == before) return true;
            limit = left;
            left = in.parts[left].right;
        } else {
            if (right == behind) return true;
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
                    (tokens_.empty() || fits(in, text, position, next.token)))
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

    /// True if `token` may follow the last token, which ends at `position`.
    bool fits(tables const& in, std::string_view text, std::size_t position, std::uint32_t token) const noexcept {
        if (position < 3 || !is_point(text, position - 3) || !is_point(text, position))
            return may_be_neighbours(in, tokens_.back(), token);
        auto const before = tables::point_at(text, position - 3), behind = tables::point_at(text, position);
        if (!in.is_whole(before, behind)) return may_be_neighbours(in, tokens_.back(), token);
        return may_be_neighbours(in, tokens_.back(), token, in.token_at(in.point_nodes[before]),
                                 in.token_at(in.point_nodes[behind]));
    }

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
    /// True if three bytes at `position`, which may be near the end of `text`, have the form of a code point.
    static bool is_point(std::string_view text, std::size_t position) noexcept {
        auto const byte = [&](std::size_t ahead) { return static_cast<unsigned char>(text[position + ahead]); };
        return text.size() - position >= 3 && tables::is_three_bytes(byte(0), byte(1), byte(2));
    }
    /// The longest token that begins at `position`, by walking down the tree.
    static candidate longest(tables const& in, std::string_view text, std::size_t position) noexcept {
        auto const byte = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
        candidate best;
        auto node = none;
        auto const take = [&] {
            auto const token = in.token_at(node);
            best = {token != none ? token : best.token,
                    token != none ? position : best.end};  // without a branch, which would often be mispredicted
        };
        if (is_point(text, position)) {
            auto point = tables::point_at(text, position);
            if (node = in.point_nodes[point]; in.token_at(node) != none) {
                for (position += 3;; position += 3) {
                    take();
                    if (position == text.size() || (node & leaf_bit) != 0) return best;
                    if (!is_point(text, position)) break;
                    auto const before = std::exchange(point, tables::point_at(text, position));
                    auto const next = in.step(node, point);
                    // A token that ends within the code point matters only if none ends behind it.
                    if (in.token_at(next) == none && !in.ends_whole(before)) break;
                    if (next == none) return best;
                    node = next;
                }
                return walk(in, text, position, in.edge(node, text[position]), best);
            }
        }
        auto const first = byte(position);
        best = {in.byte_tokens[first], ++position};
        if (position == text.size()) return best;
        node = in.first_nodes[std::size_t{first} << 8 | byte(position)];
        return walk(in, text, position, node, best);
    }
    /// The longest token on the way down from `node`, to which the byte at `position` leads; `best` without one.
    static candidate walk(tables const& in, std::string_view text, std::size_t position, std::uint32_t node,
                          candidate best) noexcept {
        while (node != none) {
            ++position;
            auto const token = in.token_at(node);
            best = {token != none ? token : best.token,
                    token != none ? position : best.end};  // without a branch, which would often be mispredicted
            if (position == text.size() || (node & leaf_bit) != 0) break;
            node = in.edge(node, text[position]);
        }
        return best;
    }

    std::vector<std::uint32_t> tokens_;
    std::vector<std::uint64_t> dead_;  ///< a bit for each place
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
