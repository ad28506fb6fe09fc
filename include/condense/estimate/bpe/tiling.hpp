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
            while (each != none) {
                auto const end = at + in.size(each);
                if (end <= text.size() && !is_dead(end) && (found_.empty() || may_stand(in, found_.back(), each))) break;
                each = in.shorter[each];
            }
            if (each != none) {
                found_.push_back(each);
                at += in.size(each);
                if (at < text.size()) each = longest(in, text, at);
            } else {
                if (found_.empty()) return found_;
                dead_[at / 64] |= std::uint64_t{1} << at % 64;
                each = found_.back();
                found_.pop_back();
                at -= in.size(each);
                each = in.shorter[each];
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

    static std::uint32_t longest(tables const& in, std::string_view text, std::size_t at) noexcept {
        auto const first = static_cast<unsigned char>(text[at]);
        auto found = in.byte_tokens[first];
        if (at + 1 == text.size()) return found;
        auto node = in.first_nodes[std::size_t{first} << 8 | static_cast<unsigned char>(text[at + 1])];
        for (at += 2; node != none; node = in.edge(node, text[at++])) {
            auto const entry = in.node_tokens[node];
            if (auto const token = entry & no_token; token != no_token) found = token;
            if (at == text.size() || (entry & leaf_bit) != 0) break;
        }
        return found;
    }

    std::vector<std::uint32_t> found_;
    std::vector<std::uint64_t> dead_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
