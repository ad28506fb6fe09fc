// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include <condense/detail/base64.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/estimate/bpe/split.hpp>
#include <condense/estimate/bpe/vocabulary.hpp>

#include "support/parts.hpp"

// Small vocabularies made here, texts to count with them, and a merge as slow and plain as its definition.

namespace toy_bpe {

using namespace std::string_view_literals;
using condense::split_scheme;

inline constexpr split_scheme schemes[] = {split_scheme::cl100k, split_scheme::o200k, split_scheme::llama3,
                                           split_scheme::qwen, split_scheme::deepseek};
/// Calls f.operator()<Scheme>() for each of them.
void each_scheme(auto f) {
    f.template operator()<split_scheme::cl100k>();
    f.template operator()<split_scheme::o200k>();
    f.template operator()<split_scheme::llama3>();
    f.template operator()<split_scheme::qwen>();
    f.template operator()<split_scheme::deepseek>();
}

class numbers {
public:
    explicit numbers(std::uint64_t seed) : state_{seed} {}
    std::size_t below(std::size_t limit) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(state_ >> 33) % limit;
    }

private:
    std::uint64_t state_;
};

/// Text of a few kinds of pieces, so that merges, contractions, runs and ill-formed parts occur.
inline std::string text(numbers& any, std::size_t size, bool valid = false) {
    // The last three are ill-formed.
    static auto const units = parts_of(
        "a|b|ab|the |The| of|ing|'s|'LL|'|1|2026| |  |\n|\r\n|\t|!|//|/|(|aaaa|word|Word|ABC| \n |x't|"
        "\xC5\xBF|\xC3\xA9|\xCC\x81|\xE4\xB8\xAD|\xE6\x96\x87|\xC2\xA0|\xC2\x85|\xE3\x80\x82|\xE3\x83\xBB|\xE3\x81\x82|"
        "\x01|\xF0\x9F\x98\x80|\0|\x80|\xE4\xB8|\xFF"sv);
    auto const kinds = units.size() - (valid ? 3 : 0);
    std::size_t chosen[6];
    for (auto& each : chosen) each = any.below(kinds);
    std::string out;
    while (out.size() < size) out += units[any.below(3) == 0 ? any.below(kinds) : chosen[any.below(6)]];
    return out;
}

/// Text of long pieces: each of characters that go on together in some scheme, or all but do.
inline std::string long_pieces(numbers& any, std::size_t stretches) {
    static auto const kinds = parts_of(
        "a|A|a,A|\xE4\xB8\xAD|\xE4\xB8\xAD,A|\xE4\xB8\xAD,A,a|\xE3\x81\x82,\xE4\xB8\xAD|\xE3\x81\x82,\xE3\x80\x81|"
        "\xC3\xA9,a| |\n, |\n,\xE3\x80\x80,\xC2\x85|\r,\n|!|!,\n|!,\n,/|/,\n|!,a|'|',s|',l,L|A,',\xC5\xBF|\xCC\x81,A|"
        "\xCC\x81,!|\x01|\x01,a|\x01,\xCC\x81, |\x80|\xFF,!|\xF0\x9F\x98\x80,\xE2\x80\x8D|1|1,\xC2\xB2");
    std::string out;
    for (; stretches != 0; --stretches) {
        auto const units = parts_of(kinds[any.below(kinds.size())], ',');
        bool const seldom = any.below(2) == 0;
        for (auto const end = out.size() + any.below(any.below(3) == 0 ? 400 : 90); out.size() < end;)
            out += units[seldom && any.below(30) != 0 ? 0 : any.below(units.size())];
        if (any.below(4) == 0) out += text(any, any.below(20));
    }
    return out;
}

inline std::string ranks(std::vector<std::string> const& tokens) {
    std::string out;
    for (std::size_t rank = 0; rank < tokens.size(); ++rank) {
        condense::detail::base64::append(out, tokens[rank]);
        out += " " + std::to_string(rank) + "\n";
    }
    return out;
}

/// Bytes, and what merging the most frequent pair of a text gives, again and again: as vocabularies are made.
inline std::vector<std::string> const& trained(std::size_t merges) {
    static std::map<std::size_t, std::vector<std::string>> vocabularies;
    auto& tokens = vocabularies[merges];
    if (!tokens.empty()) return tokens;
    for (std::size_t byte = 0; byte < 256; ++byte)
        tokens.emplace_back(1, static_cast<char>(static_cast<unsigned char>(byte ^ 0x55u)));
    numbers any{3};
    std::vector<std::string> parts;
    std::string sample;
    for (int each = 0; each < 12; ++each) sample += text(any, 300, true);
    for (char const byte : sample) parts.emplace_back(1, byte);
    while (tokens.size() < 256 + merges) {
        std::map<std::pair<std::string, std::string>, int> pairs;
        for (std::size_t at = 0; at + 1 < parts.size(); ++at) ++pairs[{parts[at], parts[at + 1]}];
        auto const best = std::max_element(pairs.begin(), pairs.end(), [](auto const& a, auto const& b) {
                              return a.second < b.second;
                          })->first;
        auto const joined = best.first + best.second;
        if (std::find(tokens.begin(), tokens.end(), joined) == tokens.end()) tokens.push_back(joined);
        std::vector<std::string> next;
        for (std::size_t at = 0; at < parts.size(); ++at)
            if (at + 1 < parts.size() && parts[at] == best.first && parts[at + 1] == best.second) {
                next.push_back(joined);
                ++at;
            } else next.push_back(parts[at]);
        parts = std::move(next);
    }
    return tokens;
}

/// Tokens in any order of ranks, many of them never made by merging.
inline std::vector<std::string> wild(std::uint64_t seed) {
    numbers any{seed};
    auto tokens = trained(60);
    for (int each = 0; each < 200; ++each) {
        auto token = text(any, 2 + any.below(6));
        if (token.size() > 20) token.resize(20);
        if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
    }
    for (std::size_t at = tokens.size(); at > 1; --at) std::swap(tokens[at - 1], tokens[any.below(at)]);
    return tokens;
}

inline condense::bpe_vocabulary vocabulary(std::vector<std::string> const& tokens,
                                           split_scheme scheme = split_scheme::cl100k) {
    auto made = condense::parse_vocabulary(ranks(tokens), {"toy", scheme, 0});
    if (!made) std::abort();
    return *made.vocabulary;
}
/// One that was made by so many merges.
inline condense::bpe_vocabulary vocabulary(std::size_t merges, split_scheme scheme = split_scheme::cl100k) {
    return vocabulary(trained(merges), scheme);
}

/// The definition: a piece that is a token is one; else the pair of lowest rank merges, the leftmost first.
class naive {
public:
    explicit naive(std::vector<std::string> const& tokens) {
        for (std::size_t rank = 0; rank < tokens.size(); ++rank)
            ranks_[tokens[rank]] = static_cast<std::uint32_t>(rank);
    }
    std::vector<std::uint32_t> merged(std::string_view piece) const {
        std::vector<std::string> parts;
        for (char const byte : piece) parts.emplace_back(1, byte);
        for (;;) {
            auto best = ranks_.end();
            std::size_t place = 0;
            for (std::size_t at = 0; at + 1 < parts.size(); ++at)
                if (auto const found = ranks_.find(parts[at] + parts[at + 1]);
                    found != ranks_.end() && (best == ranks_.end() || found->second < best->second)) {
                    best = found;
                    place = at;
                }
            if (best == ranks_.end()) break;
            parts[place] += parts[place + 1];
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
        }
        std::vector<std::uint32_t> out;
        for (auto const& part : parts) out.push_back(ranks_.at(part));
        return out;
    }
    std::vector<std::uint32_t> piece(std::string_view text) const {
        if (auto const whole = ranks_.find(std::string{text}); whole != ranks_.end()) return {whole->second};
        return merged(text);
    }
    template <condense::split_rules Rules>
    std::vector<std::uint32_t> all(std::string_view given) const {
        std::string text;
        condense::detail::utf8::append_scrubbed(text, given);
        condense::detail::bpe::splitter<Rules> const split{text};
        std::vector<std::uint32_t> out;
        for (std::size_t at = 0; at < text.size();) {
            auto const end = split.next(at).end;
            for (auto const id : piece(std::string_view{text}.substr(at, end - at))) out.push_back(id);
            at = end;
        }
        return out;
    }

private:
    std::map<std::string, std::uint32_t> ranks_;
};

}  // namespace toy_bpe
