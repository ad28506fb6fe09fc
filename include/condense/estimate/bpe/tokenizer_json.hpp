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
#include <condense/estimate/bpe/vocabulary.hpp>

// Vocabularies of Hugging Face's tokenizer.json: BPE over bytes with a list of merges, such as Llama 3, Qwen
// and gpt-oss have. Special tokens are left out; text is not normalised, so for Qwen it must be NFC already.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// The byte a code point of a token's spelling stands for: printable ones for themselves, the others in order
/// from U+0100 on. 256 for what stands for none.
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

/// The bytes of a token; none where its spelling is not one of bytes.
inline std::optional<std::string> spelt_token(std::string_view spelling) {
    std::string out;
    for (std::size_t at = 0; at < spelling.size();) {
        auto const [size, valid] = utf8::decode(spelling, at);
        auto point = std::uint32_t{static_cast<unsigned char>(spelling[at])};
        if (size == 2) point = (point & 0x1Fu) << 6 | (static_cast<unsigned char>(spelling[at + 1]) & 0x3Fu);
        if (!valid || size > 2 || point >= spelt_bytes.size() || spelt_bytes[point] > 255) return {};
        out.push_back(static_cast<char>(static_cast<unsigned char>(spelt_bytes[point])));
        at += size;
    }
    return out;
}

inline std::optional<split_scheme> scheme_of(std::string_view pattern) noexcept {
    constexpr std::string_view contractions = R"((?i:'s|'t|'re|'ve|'m|'ll|'d))";
    constexpr std::string_view spaces = R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
    auto const is = [&](auto... parts) {
        auto left = pattern;
        auto const take = [&](std::string_view part) {
            bool const same = left.substr(0, part.size()) == part;
            if (same) left.remove_prefix(part.size());
            return same;
        };
        return (take(parts) && ...) && left.empty();
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

/// The scheme of the patterns that `pre_tokenizer` has: one Split, or DeepSeek's three, and then bytes.
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

/// The parts of a tokenizer.json that counting needs.
class tokenizer_json {
public:
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
                if (name == "byte_fallback" && value == "true") type = "bytes stand beside text, not below it";
            }))
            return bad_json();
        if (type != "\"BPE\"" || merges.empty()) return bad_json();
        auto const scheme = scheme_in(splits);
        if (!scheme) return vocabulary_error{vocabulary_fault::unknown_split, 0};
        scheme_ = *scheme;
        if (auto wrong = read_tokens(vocabulary)) return wrong;
        return read_merges(merges);
    }

    /// Tokens by the rank of the merge that makes them. Several merges may give one token, of which the
    /// tables tell which does; where that changes the order, they are made again. Where merges stand before those
    /// of their parts (some eighty of Llama 3 do), they move behind them if that changes nothing: the linear ways need
    /// it.
    loaded_vocabulary built_vocabulary() const {
        ranking by{std::vector<std::uint32_t>(texts_.size(), none), {}, std::vector<std::uint32_t>(texts_.size())};
        for (std::uint32_t merge = 0; merge < merges_.size(); ++merge)
            if (auto& each = by.rank[merges_[merge]]; each == none) each = merge;
        by.from = by.rank;
        std::optional<bpe_vocabulary> unordered;
        for (int attempt = 0; attempt < 8; ++attempt) {
            std::vector<std::uint32_t> order;
            for (std::uint32_t token = 0; token < texts_.size(); ++token)
                if (texts_[token].size() == 1 || by.rank[token] != none || whole_first_) order.push_back(token);
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
            auto const unmade =
                std::find_if(order.begin(), order.end(), [&](std::uint32_t token) { return key(token)[0] > none; });
            auto made = std::make_shared<built>();
            if (auto wrong =
                    builder{}(list, scheme_, *made, static_cast<std::uint32_t>(unmade - order.begin()), std::move(ids)))
                return {{}, *wrong};
            auto const found = views(made->of, made->block.data());
            bool settled = true;
            for (std::uint32_t each = 0; each < order.size(); ++each) {
                auto const token = order[each];
                if (texts_[token].size() == 1 || by.rank[token] == none) continue;
                auto now = none;
                if (found.parts[each].left != none)
                    if (auto const merge =
                            by_pair_.find(pair(order[found.parts[each].left], order[found.parts[each].right]));
                        merge != by_pair_.end())
                        now = merge->second;
                settled &= now == by.rank[token];
                by.rank[token] = now;
            }
            if (!settled) {
                if (unordered) break;
                by.from = by.rank;
                continue;
            }
            bpe_vocabulary const out{std::move(made), found};
            if (found.of.ordered || unordered) return {out, {}};
            unordered = out;
            if (!move_behind_parts(found, order, by)) break;
        }
        if (unordered) return {*unordered, {}};
        return {{}, {vocabulary_fault::bad_merges, 0}};
    }

private:
    static vocabulary_error bad_json() noexcept { return {vocabulary_fault::bad_json, 0}; }
    static std::uint64_t pair(std::uint32_t left, std::uint32_t right) noexcept {
        return std::uint64_t{left} << 32 | right;
    }

    struct ranking {
        std::vector<std::uint32_t> rank;  ///< the merge that makes a token
        std::vector<std::uint32_t>
            from;  ///< the merge from which on there is one: that of a part, where it comes later
        std::vector<std::uint32_t> steps;  ///< merges since then; 0 for one that need not move
    };

    /// Whether every merge may come right after the last of its parts'. It would, at each place by itself, before that
    /// part is made at the next place: where neither place takes what the other needs, that order does not show.
    bool move_behind_parts(tables const& in, std::vector<std::uint32_t> const& order, ranking& by) const {
        std::vector<std::uint32_t> by_size(order.size()), first(order.size());  // first: the part that is made last
        for (std::uint32_t each = 0; each < order.size(); ++each) by_size[each] = first[each] = each;
        std::sort(by_size.begin(), by_size.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return in.size(a) < in.size(b); });
        std::unordered_map<std::uint64_t, int>
            taken;  // by what is made last and what it takes: 1 to the right, 2 to the left
        for (auto const each : by_size) {
            auto const [left, right] = in.parts[each];
            if (left == none || in.is_byte(each)) continue;
            auto const from = [&](std::uint32_t part) { return in.is_byte(part) ? 0 : by.from[order[part]]; };
            auto const token = order[each];
            by.from[token] = (std::max)({by.rank[token], from(left), from(right)});
            if (by.from[token] == by.rank[token]) continue;
            if (from(left) == from(right)) return false;
            auto const to_right = from(left) > from(right);
            auto const last = to_right ? left : right;
            auto const other = to_right ? right : left;
            first[each] = first[last];
            by.steps[token] = by.steps[order[last]] + 1;
            auto& sides = taken[pair(first[each], other)];
            sides |= to_right ? 1 : 2;
            if (sides == 3 || (to_right && other == in.parts[first[each]].left)) return false;
        }
        return true;
    }

    std::optional<vocabulary_error> read_tokens(std::string_view vocabulary) {
        std::optional<vocabulary_error> wrong;
        std::vector<bool> used(token_limit);
        if (!json::each_member(vocabulary, [&](std::string_view name, std::string_view value) {
                if (wrong) return;
                auto const id = rank_of(value);
                if (!id) wrong = vocabulary_error{vocabulary_fault::bad_rank, 0};
                auto const text = spelt_token(json::string_value("\"" + std::string{name} + "\""));
                if (wrong || !text || text->empty()) return;  // a special token has no spelling in bytes
                if (text->size() > longest_token) wrong = vocabulary_error{vocabulary_fault::long_token, 0};
                if (used[*id]) wrong = vocabulary_error{vocabulary_fault::duplicate_rank, 0};
                used[*id] = true;
                texts_.push_back(*text);
                ids_.push_back(*id);
            }))
            return bad_json();
        if (texts_.size() >= token_limit) return vocabulary_error{vocabulary_fault::bad_rank, 0};
        for (std::uint32_t token = 0; token < texts_.size() && !wrong; ++token)
            if (!by_text_.emplace(texts_[token], token).second)
                wrong = vocabulary_error{vocabulary_fault::duplicate_token, 0};
        return wrong;
    }

    /// "a b", or ["a", "b"].
    std::optional<vocabulary_error> read_merges(std::string_view merges) {
        vocabulary_error const wrong{vocabulary_fault::bad_merges, 0};
        json::scanner read{merges};
        if (read.next() != json::token::array) return bad_json();
        for (auto kind = read.next(); kind != json::token::close; kind = read.next()) {
            std::string left, right;
            if (kind == json::token::string) {
                left = json::string_value(read.text());
                auto const space = left.find(' ');
                if (space == std::string::npos) return wrong;
                right = left.substr(space + 1);
                left.resize(space);
            } else if (kind == json::token::array) {
                if (read.next() != json::token::string) return wrong;
                left = json::string_value(read.text());
                if (read.next() != json::token::string) return wrong;
                right = json::string_value(read.text());
                if (read.next() != json::token::close) return wrong;
            } else return wrong;
            auto const first = token_of(left);
            auto const second = token_of(right);
            if (first == none || second == none) return wrong;
            auto const both = by_text_.find(texts_[first] + texts_[second]);
            if (both == by_text_.end()) return wrong;
            by_pair_.emplace(pair(first, second), static_cast<std::uint32_t>(merges_.size()));
            merges_.push_back(both->second);
        }
        return {};
    }
    std::uint32_t token_of(std::string_view spelling) const {
        auto const text = spelt_token(spelling);
        auto const found = text ? by_text_.find(*text) : by_text_.end();
        return found == by_text_.end() ? none : found->second;
    }

    split_scheme scheme_ = split_scheme::llama3;
    bool whole_first_ = false;
    std::vector<std::string> texts_;
    std::vector<std::uint32_t> ids_;
    std::vector<std::uint32_t> merges_;  ///< the token each gives
    std::unordered_map<std::string, std::uint32_t> by_text_;
    std::unordered_map<std::uint64_t, std::uint32_t> by_pair_;
};

}  // namespace detail::bpe

/// The vocabulary of the bytes of a tokenizer.json.
inline loaded_vocabulary parse_tokenizer_json(std::string_view text) {
    detail::bpe::tokenizer_json found;
    if (auto wrong = found.read(text)) return {{}, *wrong};
    return found.built_vocabulary();
}

/// The vocabulary of a tokenizer.json. It takes a second; an image of it, milliseconds.
inline loaded_vocabulary load_tokenizer_json(std::string const& path) {
    auto const text = detail::bpe::whole_file(path);
    if (!text) return {{}, {vocabulary_fault::unreadable, 0}};
    return parse_tokenizer_json(*text);
}

}  // namespace v1
}  // namespace condense
