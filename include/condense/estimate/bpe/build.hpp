// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <condense/estimate/bpe/merge.hpp>
#include <condense/estimate/bpe/rank_file.hpp>
#include <condense/estimate/bpe/table_block.hpp>
#include <condense/estimate/bpe/tables.hpp>
#include <condense/estimate/bpe/vocabulary_error.hpp>

// Builds the tables of a vocabulary from its tokens. The last pair to which merging the bytes of a token leads is the
// only one that ever becomes this token, so merging needs one pair for each token.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Tables, and the memory that holds them; see views().
struct built_tables {
    table_shape shape;
    table_block block;
};

/// Builds tables in vectors and copies them into a block. The time goes into merging each token and into the tree.
class builder {
public:
    /// Fills `out`, or returns why these tokens are not a vocabulary. Tokens from `mergeable` on can only be whole
    /// pieces; `ids` has the id of each token if ids are not the ranks. `tokens` must live as long as the call.
    std::optional<vocabulary_error> operator()(token_list const& tokens, split_scheme scheme, built_tables& out,
                                               std::uint32_t mergeable = none, std::vector<std::uint32_t> ids = {}) {
        auto const count = static_cast<std::uint32_t>(tokens.size());
        shape_ = {.tokens = count, .bytes = static_cast<std::uint32_t>(tokens.bytes.size()), .scheme = scheme};
        shape_.numbered = !ids.empty();
        shape_.pair_bits = bits_for(count);
        mergeable_ = mergeable;
        ids_ = std::move(ids);
        if (auto error = index(tokens)) return error;
        find_pairs();
        grow_tree(tokens);
        find_crossings(tokens);
        find_steps(tokens);
        out = lay_out(tokens);
        return {};
    }

private:
    /// The bits of a hash table that is at most half full.
    static std::uint8_t bits_for(std::uint32_t count) noexcept {
        return static_cast<std::uint8_t>(std::bit_width(std::uint64_t{count} * 2));
    }

    /// Fills the tables from text to token, and checks that no token is there twice and every byte is one.
    std::optional<vocabulary_error> index(token_list const& tokens) {
        std::uint32_t longer = 0;
        for (std::uint32_t token = 0; token < shape_.tokens; ++token)
            if (tokens[token].size() > piece_key::longest) ++longer;
        // Searches by lines of four stay short for longer: four fifths may be used, where other tables are half full.
        shape_.key_bits =
            static_cast<std::uint8_t>(std::bit_width((std::uint64_t{shape_.tokens} - longer) * 5 / 4 + 4));
        shape_.slot_bits = bits_for(longer + 1);
        keys_.assign(std::size_t{1} << shape_.key_bits, {});
        key_tokens_.assign(std::size_t{1} << shape_.key_bits, none);
        whole_slots_.assign(std::size_t{1} << shape_.slot_bits, no_entry);
        bytes_.assign(256, none);
        tables_ = {.shape = shape_,
                   .byte_tokens = bytes_.data(),
                   .keys = keys_.data(),
                   .key_tokens = key_tokens_.data(),
                   .whole_slots = whole_slots_.data(),
                   .begins = tokens.begins.data(),
                   .bytes = tokens.bytes.data()};
        for (std::uint32_t token = 0; token < shape_.tokens; ++token) {
            auto const text = tokens[token];
            if (text.size() > shape_.longest)
                tables_.shape.longest = shape_.longest = static_cast<std::uint32_t>(text.size());
            if (tables_.find(text) != none)
                return vocabulary_error{vocabulary_fault::duplicate_token, std::uint64_t{token} + 1};
            if (text.size() == 1) bytes_[static_cast<unsigned char>(text[0])] = token;
            if (text.size() <= piece_key::longest) {
                auto const key = key_of(text);
                auto const place = tables_.key_place(key, key.hash());
                keys_[place] = key;
                key_tokens_[place] = token;
                continue;
            }
            auto const hash = text_hash(text);
            auto place = place_of(hash, shape_.slot_bits);
            while (whole_slots_[place] != no_entry) place = (place + 1) & (whole_slots_.size() - 1);
            whole_slots_[place] = (hash & 0xFFFF'FFFFu) << 32 | token;
        }
        for (std::size_t byte = 0; byte < 256; ++byte)
            if (bytes_[byte] == none) return vocabulary_error{vocabulary_fault::missing_byte, byte};
        return {};
    }

    /// Enters the pair that `token` is merged from.
    void add_pair(std::uint32_t left, std::uint32_t right, std::uint32_t token) {
        parts_[token] = {left, right};
        hints_[left] = hints_[left] | 1u << tables::class_of(right);
        hints_[right] = hints_[right] | 0x10000u << tables::class_of(left);
        auto const key = tables::pair_key(left, right);
        auto place = place_of(key * odd_a, shape_.pair_bits);
        while (pairs_[place] != no_entry) place = (place + 1) & (pairs_.size() - 1);
        pairs_[place] = key << link_bits | token;
        // Bytes are merged first and most often, so their pairs have a table without a search.
        if (tables_.size(left) == 1 && tables_.size(right) == 1) {
            auto const text = tables_.text(token);
            first_pairs_[std::size_t{static_cast<unsigned char>(text[0])} << 8 | static_cast<unsigned char>(text[1])] =
                token;
        }
        if ((tables_.size(left) > 1 && left > token) || (tables_.size(right) > 1 && right > token))
            shape_.ordered = false;
    }

    /// Finds the pair of each token, in the order of ranks, so that the pairs entered before merge its bytes down to
    /// the last two parts. If more than two remain, a part ranks above the token, or merging never gives it.
    void find_pairs() {
        pairs_.assign(std::size_t{1} << shape_.pair_bits, no_entry);
        first_pairs_.assign(65'536, none);
        parts_.assign(shape_.tokens, {});
        hints_.assign(shape_.tokens, 0);
        tables_.pairs = pairs_.data();
        tables_.hints = hints_.data();
        tables_.first_pairs = first_pairs_.data();
        shape_.ordered = true;
        std::vector<std::uint32_t> parts;
        for (std::uint32_t token = 0; token < shape_.tokens; ++token) {
            auto const text = tables_.text(token);
            if (text.size() == 1) {
                parts_[token] = {token, token};
                continue;
            }
            if (token >= mergeable_) continue;
            parts.clear();
            if (text.size() > short_piece) heap_merge(tables_, text, parts);
            else short_merge{tables_, text}.each([&](std::uint32_t part) { parts.push_back(part); });
            if (parts.size() == 2) add_pair(parts[0], parts[1], token);
            else if (auto const pair = last_pair(text, token); pair.first != none)
                add_pair(pair.first, pair.second, token);
        }
    }

    /// The last two parts of a token if every pair that is a token merges, also of a higher rank than the token; none
    /// if merging never gives it. Quadratic in its bytes, but few tokens need it.
    std::pair<std::uint32_t, std::uint32_t> last_pair(std::string_view text, std::uint32_t token) const {
        // Parts are the stretches between cuts; ranks[i] is the token of parts i and i + 1 together, or none.
        std::vector<std::size_t> cuts;
        for (std::size_t index = 0; index <= text.size(); ++index) cuts.push_back(index);
        auto const between = [&](std::size_t from, std::size_t to) {
            auto const part = tables_.find(text.substr(cuts[from], cuts[to] - cuts[from]));
            return part != none && (part < mergeable_ || tables_.size(part) == 1) ? part : none;
        };
        std::vector<std::uint32_t> ranks;
        for (std::size_t index = 0; index + 2 < cuts.size(); ++index) ranks.push_back(between(index, index + 2));
        while (!ranks.empty()) {
            auto const smallest = std::min_element(ranks.begin(), ranks.end());
            if (*smallest == none) return {none, none};
            auto const index = static_cast<std::size_t>(smallest - ranks.begin());
            if (*smallest == token) return {between(0, 1), between(1, 2)};
            cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(index) + 1);
            ranks.erase(smallest);
            if (index < ranks.size()) ranks[index] = between(index, index + 2);
            if (index != 0) ranks[index - 1] = between(index - 1, index + 1);
        }
        return {none, none};
    }

    /// Builds the tree of all tokens that merging gives, for tiling. If it has too many nodes for their bits, `ordered`
    /// becomes false, and with it tiling is not used.
    void grow_tree(token_list const& tokens) {
        first_nodes_.assign(65'536, none);
        shorter_.assign(shape_.tokens, none);
        node_tokens_.clear();
        shape_.edge_bits = 8;
        edges_.assign(std::size_t{1} << shape_.edge_bits, no_entry);
        for (std::uint32_t token = 0; token < shape_.tokens && shape_.ordered; ++token) {
            auto const text = tokens[token];
            if (text.size() < 2 || parts_[token].left == none) continue;
            auto& first = first_nodes_[std::size_t{static_cast<unsigned char>(text[0])} << 8 |
                                       static_cast<unsigned char>(text[1])];
            if (first == none) first = new_node();
            auto node = first;
            for (std::size_t index = 2; index < text.size(); ++index) node = child(node, text[index]);
            node_tokens_[node] = token;
            if (node_tokens_.size() >= (1u << node_bits) - 1 - longest_token - shape_.tokens) shape_.ordered = false;
        }
        tables_.shape = shape_;
        tables_.edges = edges_.data();
        for (std::uint32_t token = 0; token < shape_.tokens && shape_.ordered; ++token) {
            auto const text = tokens[token];
            if (text.size() < 2) continue;
            // The longest proper prefix that is a token: at least the first byte.
            shorter_[token] = bytes_[static_cast<unsigned char>(text[0])];
            auto node = first_nodes_[std::size_t{static_cast<unsigned char>(text[0])} << 8 |
                                     static_cast<unsigned char>(text[1])];
            for (std::size_t index = 2; index < text.size() && node != none; ++index) {
                if (node_tokens_[node] != none) shorter_[token] = node_tokens_[node];
                node = tables_.edge(node, text[index]);
            }
        }
        name_nodes();
    }

    /// Renumbers nodes: one at which a token ends becomes that token, others get the numbers above. A number has the
    /// leaf bit until an edge is found that leaves its node.
    void name_nodes() {
        shape_.nodes = shape_.tokens;
        for (auto& name : node_tokens_) name = (name == none ? shape_.nodes++ : name) | leaf_bit;
        auto const unnamed = std::exchange(edges_, std::vector<std::uint64_t>(edges_.size(), no_entry));
        // The node from which an edge leaves is in the upper 24 bits of its entry.
        for (auto const entry : unnamed)
            if (entry != no_entry) node_tokens_[entry >> 40] &= ~leaf_bit;
        auto const name = [&](std::uint64_t node) { return node_tokens_[node]; };
        for (auto const entry : unnamed)
            if (entry != no_entry)
                place_edge((std::uint64_t{name(entry >> 40)} << 8 | (entry >> 32 & 255)) << 32 |
                           name(entry & 0xFFFF'FFFFu));
        for (auto& node : first_nodes_)
            if (node != none) node = name(node);
        name_points();
    }

    /// Fills point_nodes: most text beyond Latin, Greek and Cyrillic has three bytes a code point, and the node of its
    /// first one is then a single look-up.
    void name_points() {
        point_nodes_.assign(65'536, none);
        tables_.shape = shape_;
        tables_.edges = edges_.data();
        for (unsigned first = 0xE0; first < 0xF0; ++first)
            for (unsigned second = 0x80; second < 0xC0; ++second) {
                auto const node = first_nodes_[first << 8 | second];
                for (unsigned third = 0x80; third < 0xC0 && node != none; ++third)
                    point_nodes_[tables::point_of(static_cast<unsigned char>(first), static_cast<unsigned char>(second),
                                                  static_cast<unsigned char>(third))] =
                        tables_.edge(node & ~leaf_bit, static_cast<char>(third));
            }
    }

    /// Fills crossings from all boundaries before a code point of three bytes in tokens. A part that is too short to be
    /// whole marks the whole neighbour, or if both are too short all code points that end like the left one.
    void find_crossings(token_list const& tokens) {
        crossings_.assign(65'536 / 32, 0);
        for (std::uint32_t token = 0; token < shape_.tokens; ++token) {
            auto const text = tokens[token];
            auto const byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
            auto const point = [&](std::size_t begin) { return tables::point_at(text, begin); };
            for (std::size_t index = 1; index < text.size(); ++index) {
                if ((byte(index) & 0xF0u) != 0xE0 || (byte(index - 1) & 0xC0u) != 0x80) continue;
                bool const before = index >= 3, behind = text.size() - index >= 3;
                if (before && !behind) crossings_[point(index - 3) / 32] |= tables::crossing_before(point(index - 3));
                if (!before && behind) crossings_[point(index) / 32] |= tables::crossing_behind(point(index));
                for (std::size_t each = byte(index - 1) & 0x3Fu; !before && !behind && each < 65'536; each += 64)
                    crossings_[each / 32] |= tables::crossing_before(each);
            }
        }
    }

    /// Fills steps from the beginnings of tokens that are code points of three bytes.
    void find_steps(token_list const& tokens) {
        tables_.shape = shape_;
        tables_.edges = edges_.data();
        tables_.point_nodes = point_nodes_.data();
        std::vector<std::uint64_t> found;
        for (std::uint32_t token = 0; token < shape_.tokens && shape_.ordered; ++token) {
            auto const text = tokens[token];
            auto const is_point = [&](std::size_t begin) {
                auto const byte = [&](std::size_t index) { return static_cast<unsigned char>(text[begin + index]); };
                return begin + 3 <= text.size() && tables::is_three_bytes(byte(0), byte(1), byte(2));
            };
            if (parts_[token].left == none || !is_point(0)) continue;
            auto node = point_nodes_[tables::point_at(text, 0)];
            for (std::size_t begin = 3; is_point(begin); begin += 3) {
                auto const key = tables::step_key(node & ~leaf_bit, tables::point_at(text, begin));
                for (std::size_t index = 0; index < 3; ++index)
                    node = tables_.edge(node & ~leaf_bit, text[begin + index]);
                found.push_back(tables::step_entry(key, node));
            }
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        shape_.step_bits = bits_for(static_cast<std::uint32_t>(found.size()) + 1);
        steps_.assign(std::size_t{1} << shape_.step_bits, no_entry);
        for (auto const entry : found) {
            auto place = place_of((entry >> (node_bits + 1)) * odd_a, shape_.step_bits);
            while (steps_[place] != no_entry) place = (place + 1) & (steps_.size() - 1);
            steps_[place] = entry;
        }
    }

    /// Nodes are numbered in order of creation until name_nodes; `node_tokens_` has the token that ends at each.
    std::uint32_t new_node() {
        node_tokens_.push_back(none);
        return static_cast<std::uint32_t>(node_tokens_.size() - 1);
    }

    /// Enters an edge, whose key is in the upper 32 bits.
    void place_edge(std::uint64_t entry) {
        auto place = place_of((entry >> 32) * odd_a, shape_.edge_bits);
        while (edges_[place] != no_entry) place = (place + 1) & (edges_.size() - 1);
        edges_[place] = entry;
    }

    /// The node that a byte leads to from `node`, created if there is none. Doubles the table of edges when it is half
    /// full.
    std::uint32_t child(std::uint32_t node, char byte) {
        tables_.shape.edge_bits = shape_.edge_bits;
        tables_.edges = edges_.data();
        if (auto const next = tables_.edge(node, byte); next != none) return next;
        if (node_tokens_.size() * 2 >= edges_.size()) {
            auto const old_edges = std::move(edges_);
            edges_.assign(std::size_t{1} << ++shape_.edge_bits, no_entry);
            for (auto const entry : old_edges)
                if (entry != no_entry) place_edge(entry);
        }
        auto const created = new_node();
        place_edge((std::uint64_t{node} << 8 | static_cast<unsigned char>(byte)) << 32 | created);
        return created;
    }

    /// Copies everything into one block.
    built_tables lay_out(token_list const& tokens) const {
        layout const places{shape_};
        built_tables result{shape_, table_block{static_cast<std::size_t>(places.size)}};
        auto const copy = [&](layout::section section, auto const& from) {
            if (!from.empty())
                std::memcpy(result.block.data() + places.offsets[section], from.data(), from.size() * sizeof from[0]);
        };
        copy(layout::pairs, pairs_);
        copy(layout::first_pairs, first_pairs_);
        copy(layout::byte_tokens, bytes_);
        copy(layout::parts, parts_);
        copy(layout::keys, keys_);
        copy(layout::key_tokens, key_tokens_);
        copy(layout::whole_slots, whole_slots_);
        copy(layout::edges, edges_);
        copy(layout::first_nodes, first_nodes_);
        copy(layout::point_nodes, point_nodes_);
        copy(layout::steps, steps_);
        copy(layout::crossings, crossings_);
        copy(layout::shorter, shorter_);
        copy(layout::begins, tokens.begins);
        copy(layout::ids, ids_);
        copy(layout::hints, hints_);
        copy(layout::bytes, tokens.bytes);
        return result;
    }

    table_shape shape_;
    tables tables_;  ///< views of the vectors below, as far as they are filled
    std::uint32_t mergeable_ = none;  ///< tokens from here on are whole pieces only
    std::vector<std::uint64_t> pairs_, whole_slots_, edges_, steps_, crossings_;
    std::vector<piece_key> keys_;
    std::vector<token_parts> parts_;
    std::vector<std::uint32_t> first_pairs_, bytes_, key_tokens_, first_nodes_, point_nodes_, node_tokens_, shorter_,
        ids_;
    std::vector<std::uint32_t> hints_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
