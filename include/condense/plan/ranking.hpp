// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/detail/callable_ref.hpp>
#include <condense/detail/fixed_log.hpp>
#include <condense/plan/passages.hpp>
#include <condense/plan/query_terms.hpp>

// Ranks the passages of texts for a question by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework",
// 2009), in integers, so that plans are the same on every machine.

namespace condense {
inline namespace v1 {
namespace detail {

/// What a term in a passage adds, in 16.16 fixed point: more the fewer passages have it, the more often it occurs here,
/// and the shorter the passage is beside the others. k1 and b have their usual values, 1.2 and 0.75.
class bm25 {
public:
    bm25(std::uint64_t passages, std::uint64_t bytes) noexcept : passages_{passages}, bytes_{bytes} {}

    /// log2(1 + (n - df + 0.5) / (df + 0.5)) for n passages, of which df have the term.
    std::uint64_t rarity(std::uint64_t holders) const noexcept {
        return static_cast<std::uint64_t>(log2_of_ratio(ratio_of(2 * passages_ + 2, 2 * holders + 1)));
    }
    std::uint64_t weight(std::uint64_t rarity, std::uint64_t times, std::uint64_t size) const noexcept {
        auto const one = static_cast<std::uint64_t>(fixed_one);
        auto const length = (std::min)(ratio_of(size * passages_, bytes_), 64 * one);
        auto const saturation = one * 3 / 10 + length * 9 / 10;  // k1 * (1 - b + b * length)
        return rarity * (times * one * 22 / 10) / (times * one + saturation);
    }

private:
    std::uint64_t passages_;
    std::uint64_t bytes_;
};

/// A passage with terms of the question.
struct ranked_passage {
    std::size_t text = 0;  ///< the number of the text, as `see` was given it
    std::size_t offset = 0;
    std::size_t size = 0;
    std::uint64_t score = 0;  ///< 16.16 fixed point
    std::uint8_t grade = 0;  ///< a higher one comes first, whatever the score
};

/// Of equal passages that of the later text comes first.
constexpr bool is_better(ranked_passage const& left, ranked_passage const& right) noexcept {
    if (left.grade != right.grade) return left.grade > right.grade;
    if (left.score != right.score) return left.score > right.score;
    return left.text != right.text ? left.text > right.text : left.offset < right.offset;
}

/// The numbers below `count`, as `before` orders them.
inline std::vector<std::size_t> sorted_indices(std::size_t count, index_order const& before) {
    std::vector<std::size_t> all(count);
    for (std::size_t index = 0; index < count; ++index) all[index] = index;
    std::sort(all.begin(), all.end(), before);
    return all;
}

/// See each text, in any order, then `rank`: by BM25, and half of the rarity of each term more that stands together
/// with others in one line or sentence. Holds a few numbers for each passage with a term, of at most 32,768 of them. A
/// term counts for the passage in which it stands as a whole.
class passage_scores {
public:
    /// `shares`: a passage has half of the score of the better one of its neighbours, too.
    explicit passage_scores(query_terms terms, bool shares = false)
        : terms_{std::move(terms)}, holders_(terms_.size()), shares_{shares} {}

    /// `grade_of(passage)` is the grade of a passage and true if it is ranked without a term, too. `follows`: the text
    /// goes on where the one before it ended.
    void see(std::size_t number, std::string_view text, bool follows,
             callable_ref<std::pair<std::uint8_t, bool>(std::string_view)> grade_of) {
        if (!follows) ++order_;
        each_unit(text, [&](std::size_t offset, std::size_t size) {
            ++passages_;
            ++order_;
            bytes_ += size;
            auto const first = counts_.size();
            auto const passage = text.substr(offset, size);
            together here;
            terms_.each(passage, [&](std::size_t term, std::size_t at) {
                count(first, term);
                here.see(passage, term, at);
            });
            auto const [grade, counts_alone] = grade_of(passage);
            if (counts_.size() == first && !counts_alone) return;
            matches_.push_back({number, offset, order_, here.best, static_cast<std::uint32_t>(size),
                                static_cast<std::uint32_t>(counts_.size() - first), grade});
            for (auto index = first; index != counts_.size(); ++index) ++holders_[counts_[index].term];
            if (matches_.size() == 2 * most) leave_best();
        });
    }
    void see(std::size_t number, std::string_view text) {
        if (!terms_.empty())
            see(number, text, false, [](std::string_view) { return std::pair{std::uint8_t{0}, false}; });
    }

    /// All passages with a term, the best first.
    std::vector<ranked_passage> rank() const {
        auto ranked = scored();
        std::sort(ranked.begin(), ranked.end(), is_better);
        return ranked;
    }
    /// Where the rarest term stands in a passage; 0 if none does.
    std::size_t focus(std::string_view passage) const {
        std::size_t place = 0;
        auto fewest = ~std::uint64_t{0};
        terms_.each(passage, [&](std::size_t term, std::size_t at) {
            if (holders_[term] >= fewest) return;
            fewest = holders_[term];
            place = at;
        });
        return place;
    }

    bool empty() const noexcept { return terms_.empty(); }
    std::uint64_t passages() const noexcept { return passages_; }

private:
    struct term_count {
        std::uint16_t term = 0;
        std::uint16_t times = 0;  ///< a passage has no more than unit_most
    };
    struct match {
        std::size_t text = 0;
        std::size_t offset = 0;
        std::uint64_t order = 0;  ///< neighbours have the next number
        std::uint64_t together = 0;  ///< a bit for each term in the line or sentence that has most of them
        std::uint32_t size = 0;
        std::uint32_t count = 0;  ///< of its terms; those of all passages stand one behind the other
        std::uint8_t grade = 0;
    };
    static constexpr std::size_t most = 16'384;
    static_assert(query_terms::most <= 64 && unit_most <= 0xFFFF);

    /// Which terms stand in one line or sentence of a passage: in the one that has most of them.
    struct together {
        std::uint64_t best = 0;
        std::uint64_t here = 0;
        std::size_t latest = 0;

        void see(std::string_view passage, std::size_t term, std::size_t at) noexcept {
            if (at > latest) {
                auto const between = passage.substr(latest, at - latest);
                if (between.find('\n') != between.npos || between.find(". ") != between.npos) here = 0;
                latest = at;
            }
            here |= std::uint64_t{1} << term;
            if (std::popcount(here) > std::popcount(best)) best = here;
        }
    };

    /// The passages in order, by what is known so far.
    std::vector<ranked_passage> scored() const {
        bm25 const weights{passages_, bytes_};
        std::vector<std::uint64_t> rarities(holders_.size());
        for (std::size_t term = 0; term < rarities.size(); ++term)
            rarities[term] = weights.rarity(holders_[term]) / terms_.part(term);
        std::vector<std::uint64_t> own;
        own.reserve(matches_.size());
        std::size_t next = 0;
        for (auto const& each : matches_) {
            std::uint64_t score = 0;
            for (auto const end = next + each.count; next != end; ++next)
                score += weights.weight(rarities[counts_[next].term], counts_[next].times, each.size);
            for (auto rest = each.together; rest != 0; rest &= rest - 1)
                score += rarities[static_cast<std::size_t>(std::countr_zero(rest))] / 2;
            own.push_back(score);
        }
        std::vector<ranked_passage> ranked;
        ranked.reserve(matches_.size());
        for (std::size_t at = 0; at < matches_.size(); ++at) {
            auto const& each = matches_[at];
            std::uint64_t beside = 0;
            if (shares_ && at != 0 && matches_[at - 1].order + 1 == each.order) beside = own[at - 1];
            if (shares_ && at + 1 != matches_.size() && each.order + 1 == matches_[at + 1].order)
                beside = (std::max)(beside, own[at + 1]);
            ranked.push_back({each.text, each.offset, each.size, own[at] + beside / 2, each.grade});
        }
        return ranked;
    }
    /// Forgets the worse half.
    void leave_best() {
        auto const ranked = scored();
        auto sorted = ranked;
        std::nth_element(sorted.begin(), sorted.begin() + most, sorted.end(), is_better);
        std::vector<match> left;
        std::vector<term_count> counts;
        auto from = counts_.begin();
        for (std::size_t at = 0; at < matches_.size(); ++at) {
            auto const end = from + static_cast<std::ptrdiff_t>(matches_[at].count);
            if (is_better(ranked[at], sorted[most])) {
                left.push_back(matches_[at]);
                counts.insert(counts.end(), from, end);
            }
            from = end;
        }
        matches_ = std::move(left);
        counts_ = std::move(counts);
    }

    /// Counts a term of the passage whose counts begin at `first`.
    void count(std::size_t first, std::size_t term) {
        for (auto index = first; index != counts_.size(); ++index)
            if (counts_[index].term == term) {
                ++counts_[index].times;
                return;
            }
        counts_.push_back({static_cast<std::uint16_t>(term), 1});
    }

    query_terms terms_;
    std::vector<std::uint64_t> holders_;  ///< by term
    std::vector<term_count> counts_;
    std::vector<match> matches_;
    std::uint64_t passages_ = 0;
    std::uint64_t order_ = 0;
    std::uint64_t bytes_ = 0;
    bool shares_ = false;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
