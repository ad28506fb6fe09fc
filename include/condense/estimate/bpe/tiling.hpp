// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <condense/estimate/bpe/tables.hpp>

// The tokens of a long piece in linear time, without merging: the one row of tokens in which merging
// would not have joined across any boundary. Exact where the parts of every token have lower ranks.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Whether merging the bytes of two tokens gives these two. Merges come in the order of ranks then, so the
/// tokens at the boundary are taken apart in the reverse order, and no pair on the way may have merged.
inline bool may_stand(tables const& in, std::uint32_t left, std::uint32_t right) noexcept {
    auto limit = none;  // a pair below it would have merged while these two stood at the boundary
    for (;;) {
        if (auto const joined = in.pair(left, right); joined < limit) return false;
        auto const left_made = in.is_byte(left) ? 0 : left + 1;
        auto const right_made = in.is_byte(right) ? 0 : right + 1;
        if (left_made == 0 && right_made == 0) return true;
        if (left_made > right_made) {
            limit = left;
            left = in.parts[left].right;
        } else {
            limit = right + 1;  // of two equal merges the one at the boundary comes first
            right = in.parts[right].left;
        }
    }
}

/// Tiles texts; keeps its room from one to the next.
class tiler {
public:
    /// The tokens of `text`, valid until the next call; none where the tables, from a forged image, allow no row.
    std::vector<std::uint32_t> const& operator()(tables const& in, std::string_view text) {
        found_.clear();
        dead_.assign(text.size() / 64 + 1, 0);
        std::size_t at = 0;
        auto each = longest(in, text, 0);
        while (at < text.size()) {
            // Every row that reaches a place ends in the same token there, so a place from which nothing
            // leads to the end is dead for all rows, and each is left at most once.
            while (each.token != none) {
                if (each.end <= text.size() && !is_dead(each.end) &&
                    (found_.empty() || may_stand(in, found_.back(), each.token)))
                    break;
                each = shorter(in, each.token, at);
            }
            if (each.token != none) {
                found_.push_back(each.token);
                at = each.end;
                if (at < text.size()) each = longest(in, text, at);
            } else {
                if (found_.empty()) return found_;
                dead_[at / 64] |= std::uint64_t{1} << at % 64;
                // Tables from a forged image may say another size than the way to the token has.
                at -= (std::min)(at, in.size(found_.back()));
                each = shorter(in, found_.back(), at);
                found_.pop_back();
            }
        }
        return found_;
    }
    /// Gives back room beyond a usual piece's.
    void shrink() {
        if (found_.capacity() > 1u << 16) *this = {};
    }

private:
    bool is_dead(std::size_t at) const noexcept { return (dead_[at / 64] >> at % 64 & 1u) != 0; }

    struct candidate {
        std::uint32_t token = none;
        std::size_t end = 0;
    };
    static candidate shorter(tables const& in, std::uint32_t token, std::size_t at) noexcept {
        auto const found = in.shorter[token];
        return {found, found == none ? 0 : at + in.size(found)};
    }
    static candidate longest(tables const& in, std::string_view text, std::size_t at) noexcept {
        auto const byte = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
        auto const first = byte(at);
        candidate found{in.byte_tokens[first], ++at};
        if (at == text.size()) return found;
        auto node = in.first_nodes[std::size_t{first} << 8 | byte(at)];
        auto const take = [&] {
            auto const token = in.ends_at(node);
            found = {token != none ? token : found.token,
                     token != none ? at : found.end};  // no branch: it would often be mistaken
        };
        ++at;
        if (node != none && at < text.size() && tables::leads(first, byte(at - 1), byte(at))) {
            take();
            node = in.point_nodes[tables::point_of(first, byte(at - 1), byte(at))];
            ++at;
        }
        for (; node != none; node = in.edge(node, text[at++])) {
            take();
            if (at == text.size() || (node & leaf_bit) != 0) break;
        }
        return found;
    }

    std::vector<std::uint32_t> found_;
    std::vector<std::uint64_t> dead_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
