// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/detail/ascii.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/detail/words.hpp>
#include <condense/plan/query_terms.hpp>
#include <condense/plan/ranking.hpp>

// Ranks passages of texts for the query of a tool: as plans do, but for the query as it stands, which comes first.

namespace condense {
inline namespace v1 {
namespace detail {

/// In lower case, ASCII only, so that offsets stay.
inline std::string lower_case(std::string_view text) {
    std::string lower{text};
    for (char& byte : lower) byte = lowered(byte);
    return lower;
}

/// See each document, in their order, then take the best.
class passage_ranking {
public:
    explicit passage_ranking(std::string_view query) : scores_{query_terms{query}, true} {
        constexpr std::string_view around = " \t\r\n.,;:!?\"'`()[]{}<>";
        auto const first = (std::min)(query.find_first_not_of(around), query.size());
        literal_ = lower_case(query.substr(first, query.find_last_not_of(around) + 1 - first));
        literal_.resize(
            utf8::floor(literal_, (std::min)(literal_.size(), std::size_t{96})));  // less than a passage has
    }

    /// True if the query has nothing to look for.
    bool empty() const noexcept { return literal_.empty(); }

    /// Passages of a document that is `behind` come after all others. One that `follows` the document before it shares
    /// its score.
    void see(std::uint64_t document, std::string_view text, bool behind = false, bool follows = false) {
        scores_.see(document, text, follows, [&](std::string_view passage) {
            auto const lower = lower_case(passage);
            bool const stands = lower.find(literal_) != lower.npos;
            bool const is_whole = stands && place_of(lower, literal_) != lower.npos;
            bool const is_part = is_whole || (stands && literal_.size() > 3);
            return std::pair{static_cast<std::uint8_t>((behind ? 0 : 4) + (is_whole ? 2 : is_part ? 1 : 0)), is_part};
        });
    }

    /// The best passages, the best first; of one document two at most.
    std::vector<ranked_passage> best(std::size_t most) const {
        std::vector<ranked_passage> hits;
        for (auto const& each : scores_.rank()) {
            if (hits.size() == most) break;
            auto const same = [&](ranked_passage const& hit) { return hit.text == each.text; };
            if (std::count_if(hits.begin(), hits.end(), same) < 2) hits.push_back(each);
        }
        return hits;
    }

    /// The place in a passage at which it should be shown: that of the query, or else of its rarest term.
    std::size_t focus(std::string_view passage) const {
        auto const lower = lower_case(passage);
        if (auto const at = place_of(lower, literal_); at != lower.npos) return at;
        auto const at = lower.find(literal_);
        return at != lower.npos ? at : scores_.focus(passage);
    }

private:
    /// Where the text stands first, not within a longer word.
    static std::size_t place_of(std::string_view passage, std::string_view text) noexcept {
        auto const within_word = [&](std::size_t at) {
            auto const end = at + text.size();
            return (at > 0 && is_word_byte(passage[at - 1])) || (end < passage.size() && is_word_byte(passage[end]));
        };
        auto at = passage.find(text);
        while (at != passage.npos && within_word(at)) at = passage.find(text, at + 1);
        return at;
    }

    passage_scores scores_;
    std::string literal_;  ///< the query, or its beginning, in lower case
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
