// SPDX-License-Identifier: BSL-1.0
#pragma once

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

// The tables of a vocabulary, made from its tokens. What merging the bytes of a token ends with is the only
// pair that ever becomes this token, so one pair for each is all that merging needs.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

struct built {
    shape of;
    table_block block;
};

class builder {
public:
    /// Fills `out`; the error where these tokens are no vocabulary. Tokens from `mergeable` on are only ever
    /// whole pieces; `ids`, where they are not the ranks, are one for each token.
    std::optional<vocabulary_error> operator()(token_list const& tokens, split_scheme scheme, built& out,
                                               std::uint32_t mergeable = none, std::vector<std::uint32_t> ids = {}) {
        auto const count = static_cast<std::uint32_t>(tokens.size());
        of_ = {.tokens = count, .bytes = static_cast<std::uint32_t>(tokens.bytes.size()), .scheme = scheme};
        of_.numbered = !ids.empty();
        of_.pair_bits = bits_for(count);
        mergeable_ = mergeable;
        ids_ = std::move(ids);
        if (auto wrong = index(tokens)) return wrong;
        find_pairs();
        grow_tree(tokens);
        out = laid_out(tokens);
        return {};
    }

private:
    /// At most half of the places are taken.
    static std::uint8_t bits_for(std::uint32_t count) noexcept {
        return static_cast<std::uint8_t>(std::bit_width(std::uint64_t{count} * 2));
    }

    std::optional<vocabulary_error> index(token_list const& tokens) {
        std::uint32_t longer = 0;
        for (std::uint32_t token = 0; token < of_.tokens; ++token)
            if (tokens[token].size() > piece_key::longest) ++longer;
        // Lines of four are full late: four fifths may be taken, where every other table is half full.
        of_.key_bits = static_cast<std::uint8_t>(std::bit_width((std::uint64_t{of_.tokens} - longer) * 5 / 4 + 4));
        of_.slot_bits = bits_for(longer + 1);
        keys_.assign(std::size_t{1} << of_.key_bits, {});
        key_tokens_.assign(std::size_t{1} << of_.key_bits, none);
        whole_slots_.assign(std::size_t{1} << of_.slot_bits, no_entry);
        bytes_.assign(256, none);
        now_ = {.of = of_,
                .byte_tokens = bytes_.data(),
                .keys = keys_.data(),
                .key_tokens = key_tokens_.data(),
                .whole_slots = whole_slots_.data(),
                .begins = tokens.begins.data(),
                .bytes = tokens.bytes.data()};
        for (std::uint32_t token = 0; token < of_.tokens; ++token) {
            auto const text = tokens[token];
            if (text.size() > of_.longest) now_.of.longest = of_.longest = static_cast<std::uint32_t>(text.size());
            if (now_.whole(text) != none)
                return vocabulary_error{vocabulary_fault::duplicate_token, std::uint64_t{token} + 1};
            if (text.size() == 1) bytes_[static_cast<unsigned char>(text[0])] = token;
            if (text.size() <= piece_key::longest) {
                auto const key = key_of(text);
                auto const at = now_.key_place(key, key.hash());
                keys_[at] = key;
                key_tokens_[at] = token;
                continue;
            }
            auto const hash = text_hash(text);
            auto at = place_of(hash, of_.slot_bits);
            while (whole_slots_[at] != no_entry) at = (at + 1) & (whole_slots_.size() - 1);
            whole_slots_[at] = (hash & 0xFFFF'FFFFu) << 32 | token;
        }
        for (std::size_t byte = 0; byte < 256; ++byte)
            if (bytes_[byte] == none) return vocabulary_error{vocabulary_fault::missing_byte, byte};
        return {};
    }

    void add_pair(std::uint32_t left, std::uint32_t right, std::uint32_t token) {
        parts_[token] = {left, right};
        hints_[left] = hints_[left] | 1u << tables::class_of(right);
        hints_[right] = hints_[right] | 0x10000u << tables::class_of(left);
        auto const key = tables::pair_key(left, right);
        auto at = place_of(key * odd_a, of_.pair_bits);
        while (pairs_[at] != no_entry) at = (at + 1) & (pairs_.size() - 1);
        pairs_[at] = key << link_bits | token;
        if (now_.size(left) == 1 && now_.size(right) == 1) {
            auto const text = now_.text(token);
            first_pairs_[std::size_t{static_cast<unsigned char>(text[0])} << 8 | static_cast<unsigned char>(text[1])] =
                token;
        }
        if ((now_.size(left) > 1 && left > token) || (now_.size(right) > 1 && right > token)) of_.ordered = false;
    }

    /// In the order of ranks, so that the pairs known so far merge a token down to its last two parts. Where
    /// they do not, a part of it ranks above it, or merging never gives it.
    void find_pairs() {
        pairs_.assign(std::size_t{1} << of_.pair_bits, no_entry);
        first_pairs_.assign(65'536, none);
        parts_.assign(of_.tokens, {});
        hints_.assign(of_.tokens, 0);
        now_.pairs = pairs_.data();
        now_.hints = hints_.data();
        now_.first_pairs = first_pairs_.data();
        of_.ordered = true;
        std::vector<std::uint32_t> parts;
        for (std::uint32_t token = 0; token < of_.tokens; ++token) {
            auto const text = now_.text(token);
            if (text.size() == 1) {
                parts_[token] = {token, token};
                continue;
            }
            if (token >= mergeable_) continue;
            parts.clear();
            if (text.size() > short_piece) heap_merge(now_, text, parts);
            else short_merge{now_, text}.each([&](std::uint32_t part) { parts.push_back(part); });
            if (parts.size() == 2) add_pair(parts[0], parts[1], token);
            else if (auto const found = last_pair(text, token); found.first != none)
                add_pair(found.first, found.second, token);
        }
    }

    /// The last two parts of a token when every pair of parts that is a token may merge.
    std::pair<std::uint32_t, std::uint32_t> last_pair(std::string_view text, std::uint32_t token) const {
        std::vector<std::size_t> cuts;
        for (std::size_t at = 0; at <= text.size(); ++at) cuts.push_back(at);
        auto const between = [&](std::size_t from, std::size_t to) {
            auto const found = now_.whole(text.substr(cuts[from], cuts[to] - cuts[from]));
            return found != none && (found < mergeable_ || now_.size(found) == 1) ? found : none;
        };
        std::vector<std::uint32_t> ranks;
        for (std::size_t at = 0; at + 2 < cuts.size(); ++at) ranks.push_back(between(at, at + 2));
        while (!ranks.empty()) {
            auto const least = std::min_element(ranks.begin(), ranks.end());
            if (*least == none) return {none, none};
            auto const at = static_cast<std::size_t>(least - ranks.begin());
            if (*least == token) return {between(0, 1), between(1, 2)};
            cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            ranks.erase(least);
            if (at < ranks.size()) ranks[at] = between(at, at + 2);
            if (at != 0) ranks[at - 1] = between(at - 1, at + 1);
        }
        return {none, none};
    }

    /// The tree of all tokens that merging gives. Where it is too large the linear way is not taken.
    void grow_tree(token_list const& tokens) {
        first_nodes_.assign(65'536, none);
        shorter_.assign(of_.tokens, none);
        node_tokens_.clear();
        of_.edge_bits = 8;
        edges_.assign(std::size_t{1} << of_.edge_bits, no_entry);
        std::vector<std::uint32_t> by_node;
        for (std::uint32_t token = 0; token < of_.tokens && of_.ordered; ++token) {
            auto const text = tokens[token];
            if (text.size() < 2 || parts_[token].left == none) continue;
            auto& first = first_nodes_[std::size_t{static_cast<unsigned char>(text[0])} << 8 |
                                       static_cast<unsigned char>(text[1])];
            if (first == none) first = new_node();
            auto node = first;
            for (std::size_t at = 2; at < text.size(); ++at) node = child(node, text[at]);
            node_tokens_[node] = token;
            if (node_tokens_.size() >= (1u << node_bits) - 1 - longest_token - of_.tokens) of_.ordered = false;
        }
        now_.of = of_;
        now_.edges = edges_.data();
        for (std::uint32_t token = 0; token < of_.tokens && of_.ordered; ++token) {
            auto const text = tokens[token];
            if (text.size() < 2) continue;
            shorter_[token] = bytes_[static_cast<unsigned char>(text[0])];
            auto node = first_nodes_[std::size_t{static_cast<unsigned char>(text[0])} << 8 |
                                     static_cast<unsigned char>(text[1])];
            for (std::size_t at = 2; at < text.size() && node != none; ++at) {
                if (node_tokens_[node] != none) shorter_[token] = node_tokens_[node];
                node = now_.edge(node, text[at]);
            }
        }
        name_nodes();
    }

    /// Nodes are named by the tokens that end there, others by numbers above. A name has the leaf bit until an edge
    /// is found to leave its node.
    void name_nodes() {
        of_.nodes = of_.tokens;
        for (auto& name : node_tokens_) name = (name == none ? of_.nodes++ : name) | leaf_bit;
        auto const unnamed = std::exchange(edges_, std::vector<std::uint64_t>(edges_.size(), no_entry));
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

    /// Most text beyond Latin, Greek and Cyrillic has three bytes a code point: the way to the first is read at once.
    void name_points() {
        point_nodes_.assign(65'536, none);
        now_.of = of_;
        now_.edges = edges_.data();
        for (unsigned first = 0xE0; first < 0xF0; ++first)
            for (unsigned second = 0x80; second < 0xC0; ++second) {
                auto const node = first_nodes_[first << 8 | second];
                for (unsigned third = 0x80; third < 0xC0 && node != none; ++third)
                    point_nodes_[tables::point_of(static_cast<unsigned char>(first), static_cast<unsigned char>(second),
                                                  static_cast<unsigned char>(third))] =
                        now_.edge(node & ~leaf_bit, static_cast<char>(third));
            }
    }

    std::uint32_t new_node() {
        node_tokens_.push_back(none);
        return static_cast<std::uint32_t>(node_tokens_.size() - 1);
    }

    void place_edge(std::uint64_t entry) {
        auto at = place_of((entry >> 32) * odd_a, of_.edge_bits);
        while (edges_[at] != no_entry) at = (at + 1) & (edges_.size() - 1);
        edges_[at] = entry;
    }

    std::uint32_t child(std::uint32_t node, char byte) {
        now_.of.edge_bits = of_.edge_bits;
        now_.edges = edges_.data();
        if (auto const found = now_.edge(node, byte); found != none) return found;
        if (node_tokens_.size() * 2 >= edges_.size()) {
            auto const old = std::move(edges_);
            edges_.assign(std::size_t{1} << ++of_.edge_bits, no_entry);
            for (auto const entry : old)
                if (entry != no_entry) place_edge(entry);
        }
        auto const made = new_node();
        place_edge((std::uint64_t{node} << 8 | static_cast<unsigned char>(byte)) << 32 | made);
        return made;
    }

    built laid_out(token_list const& tokens) const {
        layout const places{of_};
        built out{of_, table_block{static_cast<std::size_t>(places.size)}};
        auto const put = [&](layout::section section, auto const& from) {
            if (!from.empty())
                std::memcpy(out.block.data() + places.at[section], from.data(), from.size() * sizeof from[0]);
        };
        put(layout::pairs, pairs_);
        put(layout::first_pairs, first_pairs_);
        put(layout::byte_tokens, bytes_);
        put(layout::parts, parts_);
        put(layout::keys, keys_);
        put(layout::key_tokens, key_tokens_);
        put(layout::whole_slots, whole_slots_);
        put(layout::edges, edges_);
        put(layout::first_nodes, first_nodes_);
        put(layout::point_nodes, point_nodes_);
        put(layout::shorter, shorter_);
        put(layout::begins, tokens.begins);
        put(layout::ids, ids_);
        put(layout::hints, hints_);
        put(layout::bytes, tokens.bytes);
        return out;
    }

    shape of_;
    tables now_;
    std::uint32_t mergeable_ = none;
    std::vector<std::uint64_t> pairs_, whole_slots_, edges_;
    std::vector<piece_key> keys_;
    std::vector<token_parts> parts_;
    std::vector<std::uint32_t> first_pairs_, bytes_, key_tokens_, first_nodes_, point_nodes_, node_tokens_, shorter_,
        ids_;
    std::vector<std::uint32_t> hints_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
