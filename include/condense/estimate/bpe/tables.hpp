// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/estimate/bpe/hashing.hpp>
#include <condense/estimate/bpe/split_rules.hpp>

// The tables of a vocabulary in one block of memory, with the same layout in a process and in an image file. Tokens are
// named by their rank; an id, where it differs, is looked up only when a token is put out.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// No token, or no node.
inline constexpr std::uint32_t none = 0xFFFF'FFFFu;
/// A free place of a hash table.
inline constexpr std::uint64_t no_entry = ~std::uint64_t{0};
inline constexpr unsigned link_bits = 21;  ///< bits of a token in an entry of tables::pairs
inline constexpr unsigned node_bits = 23;  ///< bits of a node; a node below the number of tokens is that token

/// Set beside a node that no edge leaves. Most nodes are such leaves, which saves a search for an edge.
inline constexpr std::uint32_t leaf_bit = 1u << 31;

/// The sizes from which the layout of all tables follows. Fields of bits belong to hash tables with open addressing,
/// which have 2^bits places, at least one of them free so that every search ends.
struct table_shape {
    std::uint32_t tokens = 0;
    std::uint32_t bytes = 0;  ///< of all tokens together
    std::uint32_t nodes = 0;  ///< of the tree: the tokens, and beginnings of tokens that are no tokens themselves
    std::uint32_t longest = 0;  ///< bytes of the longest token
    std::uint8_t key_bits = 0;  ///< of tables::keys
    std::uint8_t slot_bits = 0;  ///< of tables::whole_slots
    std::uint8_t pair_bits = 0;  ///< of tables::pairs
    std::uint8_t edge_bits = 0;  ///< of tables::edges
    std::uint8_t step_bits = 0;  ///< of tables::steps
    bool ordered = false;  ///< the parts of every token have lower ranks than it, which makes tiling exact
    bool numbered = false;  ///< ids differ from ranks
    split_scheme scheme = split_scheme::cl100k;
};

/// The two tokens a token is merged from, side by side in memory because both are read together.
struct token_parts {
    std::uint32_t left = none;
    std::uint32_t right = none;
};

/// Views of the tables in a block that someone else owns. All members that read are const and safe for any number of
/// threads. Tokens, nodes and bytes passed in must exist: nothing is checked here, see table_check.
struct tables {
    table_shape shape;
    /// Hash table of the token of a pair: left, right, token in 21 bits each.
    std::uint64_t const* pairs = nullptr;
    /// The token of two bytes, by these bytes, if merging gives it.
    std::uint32_t const* first_pairs = nullptr;
    /// The token of each byte.
    std::uint32_t const* byte_tokens = nullptr;
    /// The parts of each token. Those of a byte are itself; a token that merging never gives has none.
    token_parts const* parts = nullptr;
    /// Hash table of the tokens of at most 15 bytes, in cache lines of four.
    piece_key const* keys = nullptr;
    /// The token of each entry of `keys`.
    std::uint32_t const* key_tokens = nullptr;
    /// Hash table of the longer tokens: 32 bits of hash, 32 bits of token.
    std::uint64_t const* whole_slots = nullptr;
    /// Hash table of the edges of the tree: node, byte, node in 24, 8, 32 bits, the last with its leaf bit.
    std::uint64_t const* edges = nullptr;
    /// The node by the first two bytes, which saves two look-ups of edges.
    std::uint32_t const* first_nodes = nullptr;
    /// The node by the first three bytes if they have the form of a code point, by its number.
    std::uint32_t const* point_nodes = nullptr;
    /// Hash table of paths of three edges, by a code point of three bytes, from nodes at the end of such: node, code
    /// point, node in 24, 16, 24 bits, the last with its leaf bit as the highest. It is small, and read once for three.
    std::uint64_t const* steps = nullptr;
    /// For each code point of three bytes two bits: whether a token has a part of it, or all of it, and a part of a
    /// neighbour, the one behind it for the first bit, the one before it for the second. See is_whole().
    std::uint64_t const* crossings = nullptr;
    /// The longest token that is a proper prefix of each token.
    std::uint32_t const* shorter = nullptr;
    /// Where each token begins in `bytes`, and one entry more.
    std::uint32_t const* begins = nullptr;
    /// The id of each token; null if ids are ranks.
    std::uint32_t const* ids = nullptr;
    /// For each token which of sixteen classes of tokens it merges with: 16 bits to the right, 16 bits to the left.
    std::uint32_t const* hints = nullptr;
    /// The bytes of all tokens, in the order of ranks.
    char const* bytes = nullptr;

    std::string_view text(std::uint32_t token) const noexcept {
        return {bytes + begins[token], begins[token + 1] - begins[token]};
    }
    std::size_t size(std::uint32_t token) const noexcept { return begins[token + 1] - begins[token]; }
    std::uint32_t id(std::uint32_t token) const noexcept { return ids == nullptr ? token : ids[token]; }

    static constexpr std::uint64_t pair_key(std::uint32_t left, std::uint32_t right) noexcept {
        return std::uint64_t{left} << link_bits | right;
    }
    /// One of sixteen classes of tokens, by hash, for `hints`.
    static constexpr unsigned class_of(std::uint32_t token) noexcept { return (token * 0x9E37'79B1u) >> 28; }
    /// The token that two neighbours merge to, or none. Most pairs merge to nothing, which two bits of `hints` tell
    /// without a search.
    std::uint32_t pair(std::uint32_t left, std::uint32_t right) const noexcept {
        if ((hints[left] >> class_of(right) & hints[right] >> (16 + class_of(left)) & 1u) == 0) return none;
        auto const key = pair_key(left, right);
        auto const last = (std::size_t{1} << shape.pair_bits) - 1;
        for (auto index = place_of(key * odd_a, shape.pair_bits);; index = (index + 1) & last) {
            auto const entry = pairs[index];
            if (entry >> link_bits == key) return static_cast<std::uint32_t>(entry & ((1u << link_bits) - 1));
            if (entry == no_entry) return none;
        }
    }
    /// What heap_merge asks of a pair that merges: here it is the token.
    static constexpr std::uint32_t token_of(std::uint32_t pair) noexcept { return pair; }
    /// Starts to load where the search for a pair begins.
    void prefetch_pair(std::uint32_t left, std::uint32_t right) const noexcept {
        __builtin_prefetch(pairs + place_of(pair_key(left, right) * odd_a, shape.pair_bits));
    }
    void prefetch_hints(std::uint32_t token) const noexcept { __builtin_prefetch(hints + token); }
    /// True if three bytes have the form of a code point of three bytes.
    static constexpr bool is_three_bytes(unsigned char first, unsigned char second, unsigned char third) noexcept {
        return (first & 0xF0u) == 0xE0 && (second & third & 0xC0u) == 0x80 && ((second | third) & 0x40u) == 0;
    }
    /// The number of that code point.
    static constexpr std::size_t point_of(unsigned char first, unsigned char second, unsigned char third) noexcept {
        return std::size_t{first & 0x0Fu} << 12 | std::size_t{second & 0x3Fu} << 6 | (third & 0x3Fu);
    }
    /// The number of the code point of three bytes at `position` of `text`.
    static constexpr std::size_t point_at(std::string_view text, std::size_t position) noexcept {
        auto const byte = [&](std::size_t index) { return static_cast<unsigned char>(text[position + index]); };
        return point_of(byte(0), byte(1), byte(2));
    }
    /// The bit in `crossings` of a code point, in its word: of those before and behind the boundary.
    static constexpr std::uint64_t crossing_before(std::size_t point) noexcept {
        return std::uint64_t{1} << (point % 32 * 2);
    }
    static constexpr std::uint64_t crossing_behind(std::size_t point) noexcept { return crossing_before(point) << 1; }
    /// True if no token has all of a code point of three bytes, and ends in the next one of three bytes.
    bool ends_whole(std::size_t before) const noexcept {
        return (crossings[before / 32] & crossing_before(before)) == 0;
    }
    /// True if no token has only a part of one of two neighbouring code points of three bytes, and bytes of the other.
    bool is_whole(std::size_t before, std::size_t behind) const noexcept {
        return ((crossings[before / 32] & crossing_before(before)) |
                (crossings[behind / 32] & crossing_behind(behind))) == 0;
    }
    /// The node that a byte leads to from `node`, with its leaf bit; none if no token goes on so. `node` is without its
    /// leaf bit.
    std::uint32_t edge(std::uint32_t node, char byte) const noexcept {
        auto const key = std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
        auto const last = (std::size_t{1} << shape.edge_bits) - 1;
        for (auto index = place_of(key * odd_a, shape.edge_bits);; index = (index + 1) & last) {
            auto const entry = edges[index];
            if (entry >> 32 == key) return static_cast<std::uint32_t>(entry);
            if (entry == no_entry) return none;
        }
    }
    static constexpr std::uint64_t step_key(std::uint32_t node, std::size_t point) noexcept {
        return std::uint64_t{node} << 16 | point;
    }
    /// The entry of `steps` for a node with its leaf bit.
    static constexpr std::uint64_t step_entry(std::uint64_t key, std::uint32_t node) noexcept {
        return key << (node_bits + 1) | (node & ~leaf_bit) | (node & leaf_bit) >> (31 - node_bits);
    }
    /// The node that a code point of three bytes leads to, as edge() would give it.
    std::uint32_t step(std::uint32_t node, std::size_t point) const noexcept {
        auto const key = step_key(node, point);
        auto const last = (std::size_t{1} << shape.step_bits) - 1;
        for (auto index = place_of(key * odd_a, shape.step_bits);; index = (index + 1) & last) {
            auto const entry = steps[index];
            if (entry >> (node_bits + 1) == key)
                return (static_cast<std::uint32_t>(entry) & ((1u << node_bits) - 1)) |
                       (static_cast<std::uint32_t>(entry >> node_bits) << 31);
            if (entry == no_entry) return none;
        }
    }
    /// The token that ends at a node, which may have its leaf bit; none if it is only a beginning.
    std::uint32_t token_at(std::uint32_t node) const noexcept {
        auto const token = node & ~leaf_bit;
        return token < shape.tokens ? token : none;
    }
    /// The index of a short token in `keys`, or of the free place where its search ends. Searches a line of four, then
    /// the next lines.
    std::size_t key_place(piece_key const& key, std::uint64_t hash) const noexcept {
        auto const last = (std::size_t{1} << shape.key_bits) - 1;
        for (auto line = place_of(hash, shape.key_bits) & ~std::size_t{3};; line = (line + 4) & last)
            for (std::size_t index = line; index < line + 4; ++index)
                if (keys[index] == key || keys[index] == piece_key{}) return index;
    }
    /// Starts to load the line where the search for a short token begins.
    void prefetch(std::uint64_t hash) const noexcept {
        __builtin_prefetch(keys + (place_of(hash, shape.key_bits) & ~std::size_t{3}));
    }
    /// True if a text of at most 15 bytes is a token; `hash` is that of the key.
    bool has(piece_key const& key, std::uint64_t hash) const noexcept { return keys[key_place(key, hash)] == key; }
    /// The token that consists of exactly this text, or none.
    std::uint32_t find(std::string_view wanted) const noexcept {
        if (wanted.empty() || wanted.size() > shape.longest) return none;
        if (wanted.size() <= piece_key::longest) {
            auto const key = key_of(wanted);
            auto const index = key_place(key, key.hash());
            return keys[index] == key ? key_tokens[index] : none;
        }
        auto const hash = text_hash(wanted);
        auto const last = (std::size_t{1} << shape.slot_bits) - 1;
        for (auto index = place_of(hash, shape.slot_bits);; index = (index + 1) & last) {
            auto const entry = whole_slots[index];
            if (entry == no_entry) return none;
            auto const token = static_cast<std::uint32_t>(entry);
            if (entry >> 32 == (hash & 0xFFFF'FFFFu) && text(token) == wanted) return token;
        }
    }
    /// True for the token of a single byte, at which taking tokens apart ends.
    bool is_byte(std::uint32_t token) const noexcept { return parts[token].left == token; }
};

/// Where the tables begin in their block, and its size, all in bytes. Sections begin at multiples of 64, so that lines
/// of tables are lines of the cache.
struct layout {
    /// In the order of the block, as `sizes` lists them too.
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
        steps,
        crossings,
        shorter,
        begins,
        ids,
        hints,
        bytes,
        sections
    };
    std::array<std::uint64_t, sections> offsets{};
    std::array<std::uint64_t, sections> sizes{};
    std::uint64_t size = 0;

    explicit constexpr layout(table_shape const& shape) noexcept {
        std::uint64_t const tokens = std::uint64_t{shape.tokens} * 4;
        sizes = {std::uint64_t{8} << shape.pair_bits,
                 65'536 * 4,
                 256 * 4,
                 tokens * 2,
                 std::uint64_t{16} << shape.key_bits,
                 std::uint64_t{4} << shape.key_bits,
                 std::uint64_t{8} << shape.slot_bits,
                 std::uint64_t{8} << shape.edge_bits,
                 65'536 * 4,
                 65'536 * 4,
                 std::uint64_t{8} << shape.step_bits,
                 65'536 / 4,
                 tokens,
                 tokens + 4,
                 shape.numbered ? tokens : 0,
                 tokens,
                 shape.bytes};
        for (std::size_t index = 0; index < sections; ++index) {
            offsets[index] = size;
            size += (sizes[index] + 63) / 64 * 64;
        }
    }
};

/// Views of a block of `layout{shape}.size` bytes at a multiple of 64, which must outlive them.
inline tables views(table_shape const& shape, char const* block) noexcept {
    layout const places{shape};
    auto const set_view = [&]<class Value>(layout::section section, Value const*& view) {
        view = reinterpret_cast<Value const*>(block + places.offsets[section]);
    };
    tables result{.shape = shape};
    set_view(layout::pairs, result.pairs);
    set_view(layout::first_pairs, result.first_pairs);
    set_view(layout::byte_tokens, result.byte_tokens);
    set_view(layout::parts, result.parts);
    set_view(layout::keys, result.keys);
    set_view(layout::key_tokens, result.key_tokens);
    set_view(layout::whole_slots, result.whole_slots);
    set_view(layout::edges, result.edges);
    set_view(layout::first_nodes, result.first_nodes);
    set_view(layout::point_nodes, result.point_nodes);
    set_view(layout::steps, result.steps);
    set_view(layout::crossings, result.crossings);
    set_view(layout::shorter, result.shorter);
    set_view(layout::begins, result.begins);
    if (shape.numbered) set_view(layout::ids, result.ids);
    set_view(layout::hints, result.hints);
    set_view(layout::bytes, result.bytes);
    return result;
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
