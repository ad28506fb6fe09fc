// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <condense/estimate/bpe/rank_file.hpp>
#include <condense/estimate/bpe/tables.hpp>

// Checks that tables of unknown origin, from an image file, can be read without harm: all indices are in range, and
// every search and every chain ends. That they are those of a vocabulary is left to a checksum.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// True if the sizes are those that a builder can give, so that a layout can be computed without overflow.
constexpr bool is_sound(table_shape const& shape) noexcept {
    auto const bits = [](std::uint8_t value, unsigned least) { return value >= least && value <= 30; };
    return shape.tokens >= 256 && shape.tokens < token_limit && shape.longest <= longest_token &&
           shape.nodes < (1u << node_bits) && bits(shape.pair_bits, 1) && bits(shape.key_bits, 2) &&
           bits(shape.slot_bits, 1) && bits(shape.edge_bits, 1) && bits(shape.step_bits, 1) &&
           shape.scheme <= split_scheme::deepseek;
}

/// Checks every entry once, in time linear in the size of the block. Wrong counts are possible after it, reads out of
/// range and endless loops are not.
class table_check {
public:
    explicit table_check(tables const& in) noexcept : in_{in} {}

    /// `in.shape` must be sound, and the block as large as its layout.
    bool operator()() const noexcept { return check_texts() && check_parts() && check_hash_tables() && check_tree(); }

private:
    /// True for a token that merging gives, and for none if that is allowed.
    bool has_parts(std::uint32_t token, bool none_allowed) const noexcept {
        return token == none ? none_allowed : token < in_.shape.tokens && in_.parts[token].left != none;
    }
    template <class Value, class Test>
    static bool all(Value const* from, std::size_t count, Test test) {
        return std::all_of(from, from + count, test);
    }
    /// True if every entry passes the test and at least one place is free, at which a search ends.
    template <class Test>
    static bool check_table(std::uint64_t const* from, unsigned bits, Test test) {
        bool free = false;
        return all(from, std::size_t{1} << bits,
                   [&](std::uint64_t entry) {
                       if (entry != no_entry) return test(entry);
                       return free = true;
                   }) &&
               free;
    }

    /// Tokens are not empty, follow each other in `bytes`, and those of single bytes are there.
    bool check_texts() const noexcept {
        if (in_.begins[0] != 0 || in_.begins[in_.shape.tokens] != in_.shape.bytes) return false;
        for (std::uint32_t token = 0; token < in_.shape.tokens; ++token)
            if (in_.begins[token] >= in_.begins[token + 1] ||
                in_.begins[token + 1] - in_.begins[token] > in_.shape.longest)
                return false;
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            auto const token = in_.byte_tokens[byte];
            if (token >= in_.shape.tokens || in_.size(token) != 1 || !in_.is_byte(token)) return false;
        }
        return true;
    }

    /// Parts are shorter than their token, so that taking it apart ends; if ordered, they have lower ranks.
    bool check_parts() const noexcept {
        for (std::uint32_t token = 0; token < in_.shape.tokens; ++token) {
            auto const left = in_.parts[token].left;
            auto const right = in_.parts[token].right;
            if (left == none || in_.is_byte(token)) continue;
            if (!has_parts(left, false) || !has_parts(right, false)) return false;
            if (in_.size(left) + in_.size(right) != in_.size(token)) return false;
            auto const lower = [&](std::uint32_t part) { return part < token || in_.is_byte(part); };
            if (in_.shape.ordered && !(lower(left) && lower(right))) return false;
        }
        return all(in_.first_pairs, 65'536, [&](std::uint32_t token) { return has_parts(token, true); });
    }

    /// Entries of the hash tables name tokens. Pairs must have parts, because merging goes on with them.
    bool check_hash_tables() const noexcept {
        bool free = false;
        for (std::size_t index = 0; index < std::size_t{1} << in_.shape.key_bits; ++index) {
            if (in_.keys[index] == piece_key{}) free = true;
            else if (in_.key_tokens[index] >= in_.shape.tokens) return false;
        }
        return free &&
               check_table(in_.pairs, in_.shape.pair_bits,
                           [&](std::uint64_t entry) {
                               return has_parts(static_cast<std::uint32_t>(entry & ((1u << link_bits) - 1)), false);
                           }) &&
               check_table(in_.whole_slots, in_.shape.slot_bits,
                           [&](std::uint64_t entry) { return static_cast<std::uint32_t>(entry) < in_.shape.tokens; });
    }

    /// Nodes are in range, and shorter tokens are shorter. Edges may lead in a circle: a walk along them ends with the
    /// text.
    bool check_tree() const noexcept {
        auto const node = [&](std::uint32_t value) {
            auto const token = in_.token_at(value);
            return (value & ~leaf_bit) < in_.shape.nodes && (token == none || has_parts(token, false));
        };
        for (auto const* nodes : {in_.first_nodes, in_.point_nodes})
            if (!all(nodes, 65'536, [&](std::uint32_t value) { return value == none || node(value); })) return false;
        for (std::uint32_t token = 0; token < in_.shape.tokens; ++token) {
            auto const shorter = in_.shorter[token];
            if (shorter != none && (!has_parts(shorter, false) || in_.size(shorter) >= in_.size(token))) return false;
        }
        return check_table(in_.edges, in_.shape.edge_bits,
                           [&](std::uint64_t entry) { return node(static_cast<std::uint32_t>(entry)); }) &&
               check_table(in_.steps, in_.shape.step_bits, [&](std::uint64_t entry) {
                   return node(static_cast<std::uint32_t>(entry & ((1u << node_bits) - 1)));
               });
    }

    tables const& in_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
