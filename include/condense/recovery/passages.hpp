// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/detail/ascii.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/detail/words.hpp>

// Ranks passages of texts for a query by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009).
// Terms are literal: no operators, no patterns.

namespace condense {
inline namespace v1 {
namespace detail {

/// Terms of a query that are looked at; further ones are left out.
inline constexpr std::size_t most_terms = 16;
/// Bytes of a term that are looked at.
inline constexpr std::size_t most_term_bytes = 96;
/// The longest passage, in bytes.
inline constexpr std::size_t passage_bytes = 480;

/// In lower case, ASCII only, so that offsets stay.
inline std::string lower_case(std::string_view text) {
    std::string lower{text};
    for (char& byte : lower) byte = lowered(byte);
    return lower;
}

/// Calls f(offset, size) for each passage: whole lines as far as they fit, longer ones in pieces that end, if they can,
/// between words.
template <class Function>
void each_passage(std::string_view text, Function&& f) {
    for (std::size_t begin = 0; begin < text.size();) {
        auto end = (std::min)(begin + passage_bytes, text.size());
        if (end != text.size()) {
            auto const window = text.substr(begin, end - begin);
            auto cut = window.find_last_of('\n');
            if (cut == std::string_view::npos) cut = window.find_last_of(" \t,;{}[]()\"'");
            cut = cut == std::string_view::npos ? utf8::floor(text, end) : begin + cut + 1;
            end = cut > begin ? cut : end;
        }
        f(begin, end - begin);
        begin = end;
    }
}

/// Where a text answers a query.
struct passage_hit {
    std::uint64_t document = 0;  ///< as `see` was given it
    std::size_t offset = 0;
    std::size_t size = 0;
    double score = 0;
};

/// See each document, then take the best. Holds a few numbers for each passage with a term, for at most 32,768 of them.
class passage_ranking {
public:
    /// Terms are what stands between white space, without punctuation around it.
    explicit passage_ranking(std::string_view query) : literal_{lower_case(query)} {
        constexpr std::string_view around = " \t\r\n.,;:!?\"'`()[]{}<>";
        auto const trim = [&](std::string_view word) {
            auto const first = word.find_first_not_of(around);
            if (first == std::string_view::npos) return std::string_view{};
            return word.substr(first, word.find_last_not_of(around) + 1 - first);
        };
        literal_ = std::string{trim(literal_)};
        for (std::size_t begin = 0; begin < literal_.size() && terms_.size() < most_terms;) {
            auto const end = (std::min)(literal_.find_first_of(" \t\r\n", begin), literal_.size());
            auto const word = trim(std::string_view{literal_}.substr(begin, end - begin));
            auto const term = word.substr(0, utf8::floor(word, (std::min)(word.size(), most_term_bytes)));
            if (!term.empty() && std::find(terms_.begin(), terms_.end(), term) == terms_.end())
                terms_.emplace_back(term);
            begin = end + 1;
        }
        passages_with_.resize(terms_.size());
    }

    /// True if the query has nothing to look for.
    bool empty() const noexcept { return terms_.empty(); }

    /// Passages of a document that is `behind` come after all others.
    void see(std::uint64_t document, std::string_view text, bool behind = false) {
        auto const lower = lower_case(text);
        each_passage(lower, [&](std::size_t offset, std::size_t size) {
            ++passages_;
            bytes_ += size;
            auto const passage = std::string_view{lower}.substr(offset, size);
            candidate each{.document = document, .offset = offset, .size = size, .behind = behind};
            bool any = false;
            for (std::size_t index = 0; index < terms_.size(); ++index) {
                each.counts[index] = count(passage, terms_[index]);
                if (each.counts[index] == 0) continue;
                any = true;
                ++passages_with_[index];
            }
            if (!any) return;
            each.literal = place_of(passage, literal_) != std::string_view::npos ? 2
                           : passage.find(literal_) != std::string_view::npos    ? 1
                                                                                 : 0;
            if (candidates_.size() == 2 * most_candidates) select(most_candidates);
            candidates_.push_back(each);
        });
    }

    /// The best passages, the best first; of one document two at most.
    std::vector<passage_hit> best(std::size_t most) {
        select(candidates_.size());
        std::vector<passage_hit> hits;
        for (auto const& each : candidates_) {
            if (hits.size() == most) break;
            auto const same = [&](passage_hit const& hit) { return hit.document == each.document; };
            if (std::count_if(hits.begin(), hits.end(), same) < 2)
                hits.push_back({each.document, each.offset, each.size, each.score});
        }
        return hits;
    }

    /// The place in a passage at which it should be shown: that of its rarest term.
    std::size_t focus(std::string_view passage) const {
        auto const lower = lower_case(passage);
        if (auto const at = place_of(lower, literal_); at != std::string::npos) return at;
        if (auto const at = lower.find(literal_); at != std::string::npos) return at;
        std::size_t place = 0;
        std::uint64_t fewest = ~std::uint64_t{0};
        for (std::size_t index = 0; index < terms_.size(); ++index) {
            auto const at = lower.find(terms_[index]);
            if (at == std::string::npos || passages_with_[index] >= fewest) continue;
            fewest = passages_with_[index];
            place = at;
        }
        return place;
    }

private:
    static constexpr std::size_t most_candidates = 16'384;

    struct candidate {
        std::uint64_t document = 0;
        std::size_t offset = 0;
        std::size_t size = 0;
        std::array<std::uint8_t, most_terms> counts = {};  ///< in quarters
        std::uint8_t literal = 0;  ///< 2 if the query stands in it as it is, 1 if only as a part of longer words
        bool behind = false;
        double score = 0;
    };

    /// The text at `at` is a part of a longer word.
    static bool within_word(std::string_view passage, std::size_t at, std::size_t size) noexcept {
        auto const end = at + size;
        return (at > 0 && is_word_byte(passage[at - 1])) || (end < passage.size() && is_word_byte(passage[end]));
    }
    /// Where the text stands first, not within a longer word.
    static std::size_t place_of(std::string_view passage, std::string_view text) noexcept {
        auto at = passage.find(text);
        while (at != std::string_view::npos && within_word(passage, at, text.size())) at = passage.find(text, at + 1);
        return at;
    }
    /// How often the term occurs, in quarters, up to 252: within a longer word for one, and not at all if it has three
    /// bytes or less.
    static std::uint8_t count(std::string_view passage, std::string_view term) {
        unsigned quarters = 0;
        for (auto at = passage.find(term); at != std::string_view::npos && quarters < 252;
             at = passage.find(term, at + 1)) {
            if (!within_word(passage, at, term.size())) quarters += 4;
            else if (term.size() > 3) ++quarters;
        }
        return static_cast<std::uint8_t>((std::min)(quarters, 252u));
    }

    /// Scores all candidates by what is known so far, and leaves the best, in order.
    void select(std::size_t most) {
        constexpr double saturation = 1.2, by_length = 0.75;  // k1 and b, the usual values
        auto const passages = static_cast<double>(passages_);
        auto const average = passages == 0 ? 1 : static_cast<double>(bytes_) / passages;
        for (auto& each : candidates_) {
            auto const length = 1 - by_length + by_length * static_cast<double>(each.size) / average;
            each.score = 1'000 * each.literal;  // the query as it stands comes first
            for (std::size_t index = 0; index < terms_.size(); ++index) {
                auto const times = static_cast<double>(each.counts[index]) / 4;
                auto const holders = static_cast<double>(passages_with_[index]);
                auto const rarity = std::log(1 + (passages - holders + 0.5) / (holders + 0.5));
                each.score += rarity * times * (saturation + 1) / (times + saturation * length);
            }
        }
        auto const better = [](candidate const& left, candidate const& right) {
            if (left.behind != right.behind) return right.behind;
            if (left.score != right.score) return left.score > right.score;
            return left.document != right.document ? left.document > right.document : left.offset < right.offset;
        };
        std::sort(candidates_.begin(), candidates_.end(), better);
        if (candidates_.size() > most) candidates_.resize(most);
    }

    std::string literal_;  ///< the whole query, in lower case
    std::vector<std::string> terms_;
    std::vector<std::uint64_t> passages_with_;  ///< by term
    std::vector<candidate> candidates_;
    std::uint64_t passages_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
