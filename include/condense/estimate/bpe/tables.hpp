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
inline constexpr unsigned node_bits = 24;  ///< of a node of the tree of tokens; below the number of tokens it is one

/// Beside a node: no edge leaves it. Most nodes are such, and need no search for one.
inline constexpr std::uint32_t leaf_bit = 1u << 31;

/// The sizes from which the places of all tables follow.
struct shape {
    std::uint32_t tokens = 0;
    std::uint32_t bytes = 0;       ///< of all tokens together
    std::uint32_t nodes = 0;       ///< of the tree of tokens: they, and beginnings that are none
    std::uint32_t longest = 0;     ///< bytes of the longest token
    std::uint8_t key_bits = 0;     ///< a table has 2^bits places, at least one of them free
    std::uint8_t slot_bits = 0;
    std::uint8_t pair_bits = 0;
    std::uint8_t edge_bits = 0;
    bool ordered = false;          ///< parts of every token have lower ranks: the linear way is exact
    bool numbered = false;         ///< ids are not the ranks
    split_scheme scheme = split_scheme::cl100k;
};

/// The two tokens a token is merged from, side by side: who asks for one asks for the other.
struct token_parts {
    std::uint32_t left = none;
    std::uint32_t right = none;
};

/// Views of the tables. All reading is const: any number of threads may use them.
struct tables {
    shape of;
    std::uint64_t const* pairs = nullptr;       ///< left, right, token: 21 bits each
    std::uint32_t const* first_pairs = nullptr; ///< token of two bytes that are tokens, by these bytes
    std::uint32_t const* byte_tokens = nullptr;
    token_parts const* parts = nullptr;  ///< a byte is its own parts, a token that merging never gives has none
    piece_key const* keys = nullptr;  ///< whole tokens of at most 15 bytes, in lines of four
    std::uint32_t const* key_tokens = nullptr;
    std::uint64_t const* whole_slots = nullptr;  ///< 32 bits of hash, token: longer whole tokens
    std::uint64_t const* edges = nullptr;  ///< node, byte, node: 24, 8, 32 bits
    std::uint32_t const* first_nodes = nullptr;  ///< node by two bytes
    std::uint32_t const* point_nodes =
        nullptr;  ///< node by the first three bytes where they are a code point, by its number
    std::uint32_t const* shorter = nullptr;  ///< the longest token that a token begins with
    std::uint32_t const* begins = nullptr;
    std::uint32_t const* ids = nullptr;
    std::uint32_t const* hints =
        nullptr;  ///< what may stand to the right of a token, and to the left, in sixteen classes
    char const* bytes = nullptr;

    std::string_view text(std::uint32_t token) const noexcept {
        return {bytes + begins[token], begins[token + 1] - begins[token]};
    }
    std::size_t size(std::uint32_t token) const noexcept { return begins[token + 1] - begins[token]; }
    std::uint32_t id(std::uint32_t token) const noexcept { return ids == nullptr ? token : ids[token]; }

    static constexpr std::uint64_t pair_key(std::uint32_t left, std::uint32_t right) noexcept {
        return std::uint64_t{left} << link_bits | right;
    }
    static constexpr unsigned class_of(std::uint32_t token) noexcept { return (token * 0x9E37'79B1u) >> 28; }
    /// What two neighbours merge to. Most merge to nothing, which two bytes tell without the table.
    std::uint32_t pair(std::uint32_t left, std::uint32_t right) const noexcept {
        if ((hints[left] >> class_of(right) & hints[right] >> (16 + class_of(left)) & 1u) == 0) return none;
        auto const key = pair_key(left, right);
        auto const last = (std::size_t{1} << of.pair_bits) - 1;
        for (auto at = place_of(key * odd_a, of.pair_bits);; at = (at + 1) & last) {
            auto const entry = pairs[at];
            if (entry >> link_bits == key) return static_cast<std::uint32_t>(entry & ((1u << link_bits) - 1));
            if (entry == no_entry) return none;
        }
    }
    /// Whether a byte begins a code point of three, when the next ones have that form too.
    static constexpr bool leads(unsigned char first, unsigned char second, unsigned char third) noexcept {
        return (first & 0xF0u) == 0xE0 && (second & third & 0xC0u) == 0x80 && ((second | third) & 0x40u) == 0;
    }
    static constexpr std::size_t point_of(unsigned char first, unsigned char second, unsigned char third) noexcept {
        return std::size_t{first & 0x0Fu} << 12 | std::size_t{second & 0x3Fu} << 6 | (third & 0x3Fu);
    }
    /// The node that a byte leads to, with its leaf bit.
    std::uint32_t edge(std::uint32_t node, char byte) const noexcept {
        auto const key = std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
        auto const last = (std::size_t{1} << of.edge_bits) - 1;
        for (auto at = place_of(key * odd_a, of.edge_bits);; at = (at + 1) & last) {
            auto const entry = edges[at];
            if (entry >> 32 == key) return static_cast<std::uint32_t>(entry);
            if (entry == no_entry) return none;
        }
    }
    /// The token that ends at a node, with its leaf bit or without; none where none does.
    std::uint32_t ends_at(std::uint32_t node) const noexcept {
        auto const token = node & ~leaf_bit;
        return token < of.tokens ? token : none;
    }
    /// The place of a short token in `keys`, or that of a free place. A full line is followed by the next.
    std::size_t key_place(piece_key const& key, std::uint64_t hash) const noexcept {
        auto const last = (std::size_t{1} << of.key_bits) - 1;
        for (auto line = place_of(hash, of.key_bits) & ~std::size_t{3};; line = (line + 4) & last)
            for (std::size_t at = line; at < line + 4; ++at)
                if (keys[at] == key || keys[at] == piece_key{}) return at;
    }
    void prefetch(std::uint64_t hash) const noexcept {
        __builtin_prefetch(keys + (place_of(hash, of.key_bits) & ~std::size_t{3}));
    }
    bool has(piece_key const& key, std::uint64_t hash) const noexcept { return keys[key_place(key, hash)] == key; }
    /// The token that a text is as a whole.
    std::uint32_t whole(std::string_view wanted) const noexcept {
        if (wanted.empty() || wanted.size() > of.longest) return none;
        if (wanted.size() <= piece_key::longest) {
            auto const key = key_of(wanted);
            auto const at = key_place(key, key.hash());
            return keys[at] == key ? key_tokens[at] : none;
        }
        auto const hash = text_hash(wanted);
        auto const last = (std::size_t{1} << of.slot_bits) - 1;
        for (auto at = place_of(hash, of.slot_bits);; at = (at + 1) & last) {
            auto const entry = whole_slots[at];
            if (entry == no_entry) return none;
            auto const token = static_cast<std::uint32_t>(entry);
            if (entry >> 32 == (hash & 0xFFFF'FFFFu) && text(token) == wanted) return token;
        }
    }
    bool is_byte(std::uint32_t token) const noexcept { return parts[token].left == token; }
};

/// Where the tables begin in their block, and its size.
struct layout {
    enum section : std::size_t {
        pairs,
        first_pairs,
        byte_tokens,
        parts,
        keys,
        key_tokens,
        whole_slots,
        edges,
        first_nodes,
        point_nodes,
        shorter,
        begins,
        ids,
        hints,
        bytes,
        sections
    };
    std::array<std::uint64_t, sections> at{};
    std::array<std::uint64_t, sections> sizes{};
    std::uint64_t size = 0;

    explicit constexpr layout(shape const& of) noexcept {
        std::uint64_t const tokens = std::uint64_t{of.tokens} * 4;
        sizes = {std::uint64_t{8} << of.pair_bits,
                 65'536 * 4,
                 256 * 4,
                 tokens * 2,
                 std::uint64_t{16} << of.key_bits,
                 std::uint64_t{4} << of.key_bits,
                 std::uint64_t{8} << of.slot_bits,
                 std::uint64_t{8} << of.edge_bits,
                 65'536 * 4,
                 65'536 * 4,
                 tokens,
                 tokens + 4,
                 of.numbered ? tokens : 0,
                 tokens,
                 of.bytes};
        for (std::size_t each = 0; each < sections; ++each) {
            at[each] = size;
            size += (sizes[each] + 63) / 64 * 64;
        }
    }
};

/// Views of a block of `layout{of}.size` bytes at a multiple of 64.
inline tables views(shape const& of, char const* block) noexcept {
    layout const places{of};
    auto const in = [&]<class Value>(layout::section section, Value const*& out) {
        out = reinterpret_cast<Value const*>(block + places.at[section]);
    };
    tables out{.of = of};
    in(layout::pairs, out.pairs);
    in(layout::first_pairs, out.first_pairs);
    in(layout::byte_tokens, out.byte_tokens);
    in(layout::parts, out.parts);
    in(layout::keys, out.keys);
    in(layout::key_tokens, out.key_tokens);
    in(layout::whole_slots, out.whole_slots);
    in(layout::edges, out.edges);
    in(layout::first_nodes, out.first_nodes);
    in(layout::point_nodes, out.point_nodes);
    in(layout::shorter, out.shorter);
    in(layout::begins, out.begins);
    if (of.numbered) in(layout::ids, out.ids);
    in(layout::hints, out.hints);
    in(layout::bytes, out.bytes);
    return out;
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
