// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/estimate/bpe/hashing.hpp>
#include <condense/estimate/bpe/split_rules.hpp>

// The tables of a vocabulary in one block of memory, the same in a process and in an image. Tokens are
// named by their rank; an id, where it differs, is looked up at the very end.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

inline constexpr std::uint32_t none = 0xFFFF'FFFFu;
inline constexpr std::uint64_t no_entry = ~std::uint64_t{0};
inline constexpr unsigned link_bits = 21;  ///< of a token in an entry of the table of pairs
inline constexpr unsigned node_bits = 24;  ///< of a node in an entry of the table of edges

/// The sizes from which the places of all tables follow.
struct shape {
    std::uint32_t tokens = 0;
    std::uint32_t bytes = 0;       ///< of all tokens together
    std::uint32_t nodes = 0;       ///< of the tree of tokens
    std::uint32_t longest = 0;     ///< bytes of the longest token
    std::uint8_t slot_bits = 0;    ///< a table has 2^bits places, at least one of them free
    std::uint8_t pair_bits = 0;
    std::uint8_t edge_bits = 0;
    bool ordered = false;          ///< parts of every token have lower ranks: the linear way is exact
    bool numbered = false;         ///< ids are not the ranks
    split_scheme scheme = split_scheme::cl100k;
};

/// Views of the tables. All reading is const: any number of threads may use them.
struct tables {
    shape of;
    std::uint64_t const* pairs = nullptr;       ///< left, right, token: 21 bits each
    std::uint32_t const* first_pairs = nullptr; ///< token of two bytes that are tokens, by these bytes
    std::uint32_t const* byte_tokens = nullptr;
    std::uint32_t const* lefts = nullptr;       ///< the two tokens a token is merged from; a byte is its own left,
    std::uint32_t const* rights = nullptr;      ///< a token that merging never gives has none
    std::uint64_t const* slots = nullptr;       ///< 32 bits of hash, token: the table of whole tokens
    std::uint64_t const* edges = nullptr;       ///< node, byte, node
    std::uint32_t const* first_nodes = nullptr; ///< node by two bytes
    std::uint32_t const* node_tokens = nullptr; ///< the token that ends at a node
    std::uint32_t const* shorter = nullptr;     ///< the longest token that a token begins with
    std::uint32_t const* begins = nullptr;
    std::uint32_t const* ids = nullptr;
    char const* bytes = nullptr;

    std::string_view text(std::uint32_t token) const noexcept {
        return {bytes + begins[token], begins[token + 1] - begins[token]};
    }
    std::size_t size(std::uint32_t token) const noexcept { return begins[token + 1] - begins[token]; }
    std::uint32_t id(std::uint32_t token) const noexcept { return ids == nullptr ? token : ids[token]; }

    static constexpr std::uint64_t pair_key(std::uint32_t left, std::uint32_t right) noexcept {
        return std::uint64_t{left} << link_bits | right;
    }
    /// What two neighbours merge to.
    std::uint32_t pair(std::uint32_t left, std::uint32_t right) const noexcept {
        auto const key = pair_key(left, right);
        auto const last = (std::size_t{1} << of.pair_bits) - 1;
        for (auto at = place_of(key * odd_a, of.pair_bits);; at = (at + 1) & last) {
            auto const entry = pairs[at];
            if (entry >> link_bits == key) return static_cast<std::uint32_t>(entry & ((1u << link_bits) - 1));
            if (entry == no_entry) return none;
        }
    }
    std::uint32_t edge(std::uint32_t node, char byte) const noexcept {
        auto const key = std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
        auto const last = (std::size_t{1} << of.edge_bits) - 1;
        for (auto at = place_of(key * odd_a, of.edge_bits);; at = (at + 1) & last) {
            auto const entry = edges[at];
            if (entry >> node_bits == key) return static_cast<std::uint32_t>(entry & ((1u << node_bits) - 1));
            if (entry == no_entry) return none;
        }
    }
    /// The token that a text is as a whole.
    std::uint32_t whole(std::string_view wanted) const noexcept {
        if (wanted.size() > of.longest) return none;
        auto const hash = text_hash(wanted);
        auto const last = (std::size_t{1} << of.slot_bits) - 1;
        for (auto at = place_of(hash, of.slot_bits);; at = (at + 1) & last) {
            auto const entry = slots[at];
            if (entry == no_entry) return none;
            auto const token = static_cast<std::uint32_t>(entry);
            if (entry >> 32 == (hash & 0xFFFF'FFFFu) && text(token) == wanted) return token;
        }
    }
    bool is_byte(std::uint32_t token) const noexcept { return lefts[token] == token; }
};

/// Where the tables begin in their block, and its size.
struct layout {
    static constexpr std::size_t sections = 13;
    std::array<std::uint64_t, sections> at{};
    std::uint64_t size = 0;

    explicit constexpr layout(shape const& of) noexcept {
        std::uint64_t const tokens = of.tokens;
        std::array<std::uint64_t, sections> const sizes{
            std::uint64_t{8} << of.pair_bits, 65'536 * 4, 256 * 4, tokens * 4, tokens * 4, std::uint64_t{8} << of.slot_bits,
            std::uint64_t{8} << of.edge_bits, 65'536 * 4, std::uint64_t{of.nodes} * 4, tokens * 4, (tokens + 1) * 4,
            of.numbered ? tokens * 4 : 0, of.bytes};
        for (std::size_t section = 0; section < sections; ++section) {
            at[section] = size;
            size += (sizes[section] + 63) / 64 * 64;
        }
    }
};

/// Views of a block of `layout{of}.size` bytes at a multiple of 8.
inline tables views(shape const& of, char const* block) noexcept {
    layout const places{of};
    auto const wide = [&](std::size_t section) { return reinterpret_cast<std::uint64_t const*>(block + places.at[section]); };
    auto const narrow = [&](std::size_t section) { return reinterpret_cast<std::uint32_t const*>(block + places.at[section]); };
    return {.of = of, .pairs = wide(0), .first_pairs = narrow(1), .byte_tokens = narrow(2), .lefts = narrow(3),
            .rights = narrow(4), .slots = wide(5), .edges = wide(6), .first_nodes = narrow(7), .node_tokens = narrow(8),
            .shorter = narrow(9), .begins = narrow(10), .ids = of.numbered ? narrow(11) : nullptr,
            .bytes = block + places.at[12]};
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
