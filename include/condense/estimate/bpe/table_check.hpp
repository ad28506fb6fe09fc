// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <condense/estimate/bpe/rank_file.hpp>
#include <condense/estimate/bpe/tables.hpp>

// Whether tables of unknown origin can be read without harm: every place that is named exists, and every
// search and every chain ends. Whether they are those of a vocabulary a checksum says.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Whether a block for this shape can be spoken of at all.
constexpr bool sound(shape const& of) noexcept {
    auto const bits = [](std::uint8_t given, unsigned least) { return given >= least && given <= 30; };
    return of.tokens >= 256 && of.tokens < token_limit && of.longest <= longest_token && of.nodes < (1u << node_bits) &&
           bits(of.pair_bits, 1) && bits(of.key_bits, 2) && bits(of.slot_bits, 1) && bits(of.edge_bits, 1) &&
           of.scheme <= split_scheme::deepseek;
}

class table_check {
public:
    explicit table_check(tables const& in) noexcept : in_{in} {}

    /// `in.of` is sound and the block as large as it says.
    bool operator()() const noexcept { return texts() && makings() && searches() && tree(); }

private:
    /// One of the tokens that merging gives, or, where that is right, none.
    bool made(std::uint32_t token, bool or_none) const noexcept {
        return token == none ? or_none : token < in_.of.tokens && in_.parts[token].left != none;
    }
    template <class Value, class Test>
    static bool all(Value const* from, std::size_t count, Test test) {
        return std::all_of(from, from + count, test);
    }
    /// Every entry passes, and one place at least is free.
    template <class Test>
    static bool table(std::uint64_t const* from, unsigned bits, Test test) {
        bool free = false;
        return all(from, std::size_t{1} << bits,
                   [&](std::uint64_t entry) {
                       if (entry != no_entry) return test(entry);
                       return free = true;
                   }) &&
               free;
    }

    bool texts() const noexcept {
        if (in_.begins[0] != 0 || in_.begins[in_.of.tokens] != in_.of.bytes) return false;
        for (std::uint32_t token = 0; token < in_.of.tokens; ++token)
            if (in_.begins[token] >= in_.begins[token + 1] ||
                in_.begins[token + 1] - in_.begins[token] > in_.of.longest)
                return false;
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            auto const token = in_.byte_tokens[byte];
            if (token >= in_.of.tokens || in_.size(token) != 1 || !in_.is_byte(token)) return false;
        }
        return true;
    }

    bool makings() const noexcept {
        for (std::uint32_t token = 0; token < in_.of.tokens; ++token) {
            auto const left = in_.parts[token].left;
            auto const right = in_.parts[token].right;
            if (left == none || in_.is_byte(token)) continue;
            if (!made(left, false) || !made(right, false)) return false;
            if (in_.size(left) + in_.size(right) != in_.size(token)) return false;
            auto const lower = [&](std::uint32_t part) { return part < token || in_.is_byte(part); };
            if (in_.of.ordered && !(lower(left) && lower(right))) return false;
        }
        return all(in_.first_pairs, 65'536, [&](std::uint32_t token) { return made(token, true); });
    }

    bool searches() const noexcept {
        bool free = false;
        for (std::size_t at = 0; at < std::size_t{1} << in_.of.key_bits; ++at) {
            if (in_.keys[at] == piece_key{}) free = true;
            else if (in_.key_tokens[at] >= in_.of.tokens) return false;
        }
        return free &&
               table(in_.pairs, in_.of.pair_bits,
                     [&](std::uint64_t entry) {
                         return made(static_cast<std::uint32_t>(entry & ((1u << link_bits) - 1)), false);
                     }) &&
               table(in_.whole_slots, in_.of.slot_bits,
                     [&](std::uint64_t entry) { return static_cast<std::uint32_t>(entry) < in_.of.tokens; });
    }

    bool tree() const noexcept {
        auto const node = [&](std::uint32_t given) {
            auto const token = in_.ends_at(given);
            return (given & ~leaf_bit) < in_.of.nodes && (token == none || made(token, false));
        };
        for (auto const* nodes : {in_.first_nodes, in_.point_nodes})
            if (!all(nodes, 65'536, [&](std::uint32_t given) { return given == none || node(given); })) return false;
        for (std::uint32_t token = 0; token < in_.of.tokens; ++token) {
            auto const shorter = in_.shorter[token];
            if (shorter != none && (!made(shorter, false) || in_.size(shorter) >= in_.size(token))) return false;
        }
        return table(in_.edges, in_.of.edge_bits,
                     [&](std::uint64_t entry) { return node(static_cast<std::uint32_t>(entry)); });
    }

    tables const& in_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
