// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/detail/json_members.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/estimate/bpe/build.hpp>
#include <condense/estimate/bpe/merge.hpp>
#include <condense/estimate/bpe/vocabulary.hpp>

// Reads vocabularies from Hugging Face's tokenizer.json: BPE over bytes with a list of merges, as Llama 3, Qwen,
// DeepSeek and gpt-oss have. Special tokens are left out; text is not normalised, so for Qwen it must be NFC already.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// The byte that a code point in the spelling of a token stands for: printable bytes are spelt by themselves, the
/// others in order from U+0100 on. 256 for a code point that stands for none.
inline constexpr auto spelt_bytes = [] {
    std::array<std::uint16_t, 0x144> out{};
    out.fill(256);
    std::size_t next = 0x100;
    for (std::uint16_t byte = 0; byte < 256; ++byte) {
        bool const plain = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
        out[plain ? byte : next++] = byte;
    }
    return out;
}();

/// The bytes of a token by its spelling; nothing if a character of it stands for no byte.
inline std::optional<std::string> spelt_token(std::string_view spelling) {
    std::string bytes;
    for (std::size_t position = 0; position < spelling.size();) {
        auto const [size, valid] = utf8::decode(spelling, position);
        auto point = std::uint32_t{static_cast<unsigned char>(spelling[position])};
        if (size == 2) point = (point & 0x1Fu) << 6 | (static_cast<unsigned char>(spelling[position + 1]) & 0x3Fu);
        if (!valid || size > 2 || point >= spelt_bytes.size() || spelt_bytes[point] > 255) return {};
        bytes.push_back(static_cast<char>(static_cast<unsigned char>(spelt_bytes[point])));
        position += size;
    }
    return bytes;
}

/// The scheme that a pattern is, literally: patterns that merely mean the same are not recognised.
inline std::optional<split_scheme> scheme_of(std::string_view pattern) noexcept {
    // The pieces of which the known patterns consist, in this order.
    constexpr std::string_view contractions = R"((?i:'s|'t|'re|'ve|'m|'ll|'d))";
    constexpr std::string_view spaces = R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
    auto const is = [&](auto... parts) {
        auto rest = pattern;
        auto const consume = [&](std::string_view part) {
            bool const same = rest.substr(0, part.size()) == part;
            if (same) rest.remove_prefix(part.size());
            return same;
        };
        return (consume(parts) && ...) && rest.empty();
    };
    constexpr std::string_view word = R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})";
    constexpr std::string_view signs = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*)";
    constexpr std::string_view lead = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])";
    constexpr std::string_view lower_case = R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])";
    if (is(contractions, word, "{1,3}", signs, spaces)) return split_scheme::llama3;
    if (is(contractions, word, signs, spaces)) return split_scheme::qwen;
    if (is(lead, "*", lower_case, "+", contractions, "?|", lead, "+", lower_case, "*", contractions,
           R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*)", spaces))
        return split_scheme::o200k;
    return {};
}

/// The scheme of the member `pre_tokenizer`, by the patterns in it: that of one Split, or DeepSeek's three.
inline std::optional<split_scheme> scheme_in(std::string_view pre_tokenizer) {
    std::vector<std::string> patterns;
    json::scanner read{pre_tokenizer};
    bool regex = false;
    for (auto kind = read.next(); kind != json::token::done && kind != json::token::bad; kind = read.next()) {
        if (kind == json::token::string && regex) patterns.push_back(json::string_value(read.text()));
        regex = kind == json::token::key && read.text() == "\"Regex\"";
    }
    if (patterns.size() == 1) return scheme_of(patterns[0]);
    if (patterns ==
        std::vector<std::string>{R"(\p{N}{1,3})",
                                 "[\xE4\xB8\x80-\xE9\xBE\xA5\xE3\x81\x80-\xE3\x82\x9F\xE3\x82\xA0-\xE3\x83\xBF]+",
                                 R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^)"
                                 "\r\n"
                                 R"(\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[)"
                                 "\r\n"
                                 R"(]*|\s*[)"
                                 "\r\n"
                                 R"(]+|\s+(?!\S)|\s+)"})
        return split_scheme::deepseek;
    return {};
}

/// The members of a tokenizer.json that counting needs: read(text), then build(). Tokens are numbered here in the order
/// of the file; their ranks follow from the merges.
class tokenizer_json {
public:
    /// Reads the file; returns why it is not one that can be counted with.
    std::optional<vocabulary_error> read(std::string_view text) {
        std::string_view model, splits;
        if (!json::each_member(text, [&](std::string_view name, std::string_view value) {
                if (name == "model") model = value;
                if (name == "pre_tokenizer") splits = value;
            }))
            return bad_json();
        std::string_view type, vocabulary, merges;
        if (!json::each_member(model, [&](std::string_view name, std::string_view value) {
                if (name == "type") type = value;
                if (name == "vocab") vocabulary = value;
                if (name == "merges") merges = value;
                if (name == "ignore_merges") whole_first_ = value == "true";
                // Models that fall back to bytes have tokens of text, with bytes beside them: no merges over bytes.
                if (name == "byte_fallback" && value == "true") type = "bytes stand beside text, not below it";
            }))
            return bad_json();
        if (type != "\"BPE\"" || merges.empty()) return bad_json();
        auto const scheme = scheme_in(splits);
        if (!scheme) return vocabulary_error{vocabulary_fault::unknown_split, 0};
        scheme_ = *scheme;
        if (auto error = read_tokens(vocabulary)) return error;
        return read_merges(merges);
    }

    /// Builds a vocabulary whose tokens are ranked by the merges that give them. Merges that come before those of their
    /// parts (some eighty of Llama 3 do) are moved behind them if that changes no result, because tiling needs that
    /// order; the tables are then built again.
    loaded_vocabulary build() const {
        ranking by{std::vector<std::uint32_t>(texts_.size()), {}, std::vector<std::uint32_t>(texts_.size())};
        merge_list const merges{*this};
        for (std::uint32_t token = 0; token < texts_.size(); ++token) by.rank[token] = merges.last_of(texts_[token]);
        by.from = by.rank;
        std::optional<bpe_vocabulary> unordered;  // exact as well, but slower: what to return if moving fails
        for (int attempt = 0; attempt < 2; ++attempt) {
            std::vector<std::uint32_t> order;
            for (std::uint32_t token = 0; token < texts_.size(); ++token)
                if (texts_[token].size() == 1 || by.rank[token] != none || whole_first_) order.push_back(token);
            // Bytes first, then by merge; moved merges directly behind those that their parts wait for.
            auto const key = [&](std::uint32_t token) -> std::array<std::uint64_t, 4> {
                if (texts_[token].size() == 1) return {0, 0, 0, token};
                return {std::uint64_t{by.from[token]} + 1, by.steps[token], by.rank[token], token};
            };
            std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
            token_list list;
            std::vector<std::uint32_t> ids;
            for (auto const token : order) {
                list.add(texts_[token]);
                ids.push_back(ids_[token]);
            }
            // Tokens that no merge gives come last; they are only ever whole pieces.
            auto const unmade =
                std::find_if(order.begin(), order.end(), [&](std::uint32_t token) { return key(token)[0] > none; });
            auto built = std::make_shared<built_tables>();
            if (auto error = builder{}(list, scheme_, *built, static_cast<std::uint32_t>(unmade - order.begin()),
                                       std::move(ids)))
                return {{}, *error};
            auto const in = views(built->shape, built->block.data());
            if (!follows(merges, in, order, by)) break;
            bpe_vocabulary const out{std::move(built), in};
            if (in.shape.ordered || unordered) return {out, {}};
            unordered = out;
            if (!move_behind_parts(in, order, by)) break;
        }
        if (unordered) return {std::move(unordered), {}};
        return {{}, {vocabulary_fault::bad_merges, 0}};
    }

private:
    static vocabulary_error bad_json() noexcept { return {vocabulary_fault::bad_json, 0}; }
    static std::uint64_t pair(std::uint32_t left, std::uint32_t right) noexcept {
        return std::uint64_t{left} << 32 | right;
    }

    /// What decides the order of tokens, by token; none if no merge gives it.
    struct ranking {
        std::vector<std::uint32_t> rank;  ///< the merge that gives the token
        /// The merge after which the token can exist: its own, or that of a part if it comes later.
        std::vector<std::uint32_t> from;
        /// How many moved merges come between `from` and the token; 0 for a token that need not move.
        std::vector<std::uint32_t> steps;
    };

    /// The list of merges, for heap_merge: a pair is the number of its merge.
    struct merge_list {
        tokenizer_json const& from;
        std::array<std::uint32_t, 256> byte_tokens;  ///< none for a byte that is no token

        explicit merge_list(tokenizer_json const& file) : from{file} {
            byte_tokens.fill(none);
            for (std::uint32_t token = 0; token < file.texts_.size(); ++token)
                if (auto const& text = file.texts_[token]; text.size() == 1)
                    byte_tokens[static_cast<unsigned char>(text[0])] = token;
        }
        std::uint32_t pair(std::uint32_t left, std::uint32_t right) const {
            auto const merge = from.by_pair_.find(tokenizer_json::pair(left, right));
            return merge == from.by_pair_.end() ? none : merge->second;
        }
        std::uint32_t token_of(std::uint32_t merge) const { return from.merges_[merge]; }

        /// The merge that gives the token; none for a byte, and where merging does not end with the whole token.
        std::uint32_t last_of(std::string_view token) const {
            std::vector<std::uint32_t> parts;
            auto const last = heap_merge(*this, token, parts);
            return parts.size() == 1 ? last : none;
        }
    };

    /// True if the tables make each token by the merge that gives it.
    static bool follows(merge_list const& merges, tables const& in, std::vector<std::uint32_t> const& order,
                        ranking const& by) {
        for (std::uint32_t index = 0; index < order.size(); ++index) {
            auto const rank = by.rank[order[index]];
            auto const [left, right] = in.parts[index];
            if (rank != none && (left == none || merges.pair(order[left], order[right]) != rank)) return false;
        }
        return true;
    }

    /// True if every merge may move right behind those of its parts, and updates `by` accordingly. A merge that comes
    /// before that of its part happens at each place as soon as the part is there, before the part is merged at the
    /// next place; once moved, it happens after the part is merged at all places. The difference shows only if one
    /// place takes what the other needs, which is what this checks.
    bool move_behind_parts(tables const& in, std::vector<std::uint32_t> const& order, ranking& by) const {
        std::vector<std::uint32_t> by_size(order.size());
        std::vector<std::uint32_t> first(order.size());  // the innermost part that is merged last
        for (std::uint32_t token_rank = 0; token_rank < order.size(); ++token_rank)
            by_size[token_rank] = first[token_rank] = token_rank;
        std::sort(by_size.begin(), by_size.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return in.size(a) < in.size(b); });
        // By the innermost part and what it takes: 1 if it takes that to its right, 2 to its left.
        std::unordered_map<std::uint64_t, int> sides_of;
        for (auto const token_rank : by_size) {
            auto const [left, right] = in.parts[token_rank];
            if (left == none || in.is_byte(token_rank)) continue;
            auto const from = [&](std::uint32_t part) { return in.is_byte(part) ? 0 : by.from[order[part]]; };
            auto const token = order[token_rank];
            by.from[token] = (std::max)({by.rank[token], from(left), from(right)});
            if (by.from[token] == by.rank[token]) continue;
            if (from(left) == from(right)) return false;
            auto const to_right = from(left) > from(right);
            auto const later = to_right ? left : right;
            auto const other = to_right ? right : left;
            first[token_rank] = first[later];
            by.steps[token] = by.steps[order[later]] + 1;
            auto& sides = sides_of[pair(first[token_rank], other)];
            sides |= to_right ? 1 : 2;
            if (sides == 3 || (to_right && other == in.parts[first[token_rank]].left)) return false;
        }
        return true;
    }

    /// Reads spellings and ids. Tokens must differ in both.
    std::optional<vocabulary_error> read_tokens(std::string_view vocabulary) {
        std::optional<vocabulary_error> error;
        std::vector<bool> used(token_limit);
        if (!json::each_member(vocabulary, [&](std::string_view name, std::string_view value) {
                if (error) return;
                auto const id = rank_of(value);
                if (!id) error = vocabulary_error{vocabulary_fault::bad_rank, 0};
                auto const text = spelt_token(json::string_value("\"" + std::string{name} + "\""));
                if (error || !text || text->empty()) return;  // a special token has no spelling in bytes
                if (text->size() > longest_token) error = vocabulary_error{vocabulary_fault::long_token, 0};
                if (used[*id]) error = vocabulary_error{vocabulary_fault::duplicate_rank, 0};
                used[*id] = true;
                texts_.push_back(*text);
                ids_.push_back(*id);
            }))
            return bad_json();
        if (texts_.size() >= token_limit) return vocabulary_error{vocabulary_fault::bad_rank, 0};
        for (std::uint32_t token = 0; token < texts_.size() && !error; ++token)
            if (!by_text_.emplace(texts_[token], token).second)
                error = vocabulary_error{vocabulary_fault::duplicate_token, 0};
        return error;
    }

    /// Reads merges, each of which is "a b" or ["a", "b"] by version of the format.
    std::optional<vocabulary_error> read_merges(std::string_view merges) {
        vocabulary_error const error{vocabulary_fault::bad_merges, 0};
        json::scanner scanner{merges};
        if (scanner.next() != json::token::array) return bad_json();
        for (auto kind = scanner.next(); kind != json::token::close; kind = scanner.next()) {
            std::string left, right;
            if (kind == json::token::string) {
                left = json::string_value(scanner.text());
                auto const space = left.find(' ');
                if (space == std::string::npos) return error;
                right = left.substr(space + 1);
                left.resize(space);
            } else if (kind == json::token::array) {
                if (scanner.next() != json::token::string) return error;
                left = json::string_value(scanner.text());
                if (scanner.next() != json::token::string) return error;
                right = json::string_value(scanner.text());
                if (scanner.next() != json::token::close) return error;
            } else return error;
            auto const first = token_of(left);
            auto const second = token_of(right);
            if (first == none || second == none) return error;
            auto const both = by_text_.find(texts_[first] + texts_[second]);
            if (both == by_text_.end()) return error;
            by_pair_.emplace(pair(first, second), static_cast<std::uint32_t>(merges_.size()));
            merges_.push_back(both->second);
        }
        return {};
    }
    /// The token with this spelling, or none.
    std::uint32_t token_of(std::string_view spelling) const {
        auto const text = spelt_token(spelling);
        auto const it = text ? by_text_.find(*text) : by_text_.end();
        return it == by_text_.end() ? none : it->second;
    }

    split_scheme scheme_ = split_scheme::llama3;
    bool whole_first_ = false;  ///< a piece that is a token is never merged, so tokens without a merge count as well
    std::vector<std::string> texts_;  ///< the bytes of each token
    std::vector<std::uint32_t> ids_;
    std::vector<std::uint32_t> merges_;  ///< the token that each merge gives
    std::unordered_map<std::string, std::uint32_t> by_text_;
    std::unordered_map<std::uint64_t, std::uint32_t> by_pair_;
};

}  // namespace detail::bpe

/// Builds a vocabulary from the contents of a tokenizer.json.
inline loaded_vocabulary parse_tokenizer_json(std::string_view text) {
    detail::bpe::tokenizer_json reader;
    if (auto error = reader.read(text)) return {{}, *error};
    return reader.build();
}

/// Builds the vocabulary of a tokenizer.json file. Takes a second; from an image, see image.hpp, milliseconds.
inline loaded_vocabulary load_tokenizer_json(std::string const& path) {
    auto const text = detail::bpe::read_file(path);
    if (!text) return {{}, {vocabulary_fault::unreadable, 0}};
    return parse_tokenizer_json(*text);
}

}  // namespace v1
}  // namespace condense
