// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

// Selects the rows of greatest weight in one pass: offer() each, then in_order() visits those that were selected.

namespace condense {
inline namespace v1 {
namespace detail {

/// At most `limit` rows, greatest weight first; of equal weights the row offered first stays. Texts are views, which
/// the caller keeps alive. An offer costs at most `limit` steps.
class best_rows {
public:
    /// A row that is offered.
    struct entry {
        std::uint32_t weight = 0;
        std::uint64_t row = 0;  ///< its number in the original order; no two are equal
        std::string_view text = {};
    };

    explicit constexpr best_rows(std::uint64_t limit) noexcept : limit_{limit} {}

    constexpr std::size_t size() const noexcept { return rows_.size(); }

    /// Takes a row if it is heavier than the lightest one, or if there is room.
    constexpr void offer(entry const& candidate) {
        if (limit_ == 0 || (rows_.size() == limit_ && candidate.weight <= rows_.back().weight)) return;
        if (rows_.size() == limit_) rows_.pop_back();
        auto position = rows_.end();
        while (position != rows_.begin() && (position - 1)->weight < candidate.weight) --position;
        rows_.insert(position, candidate);
    }

    /// Removes rows below 3/4 of the greatest weight, the least first, while there are more than `limit`.
    constexpr void trim(std::size_t limit) {
        while (rows_.size() > limit && rows_.back().weight < rows_[0].weight - rows_[0].weight / 4) rows_.pop_back();
    }

    /// Calls `sink` with the texts in the order of the rows. Quadratic in the number of rows, which is small.
    template <class Sink>
    constexpr void in_order(Sink sink) const {
        std::uint64_t first_row = 0;
        for (auto remaining = rows_.size(); remaining != 0; --remaining) {
            entry const* next = nullptr;
            for (auto const& candidate : rows_)
                if (candidate.row >= first_row && (next == nullptr || candidate.row < next->row)) next = &candidate;
            sink(next->text);
            first_row = next->row + 1;
        }
    }

private:
    std::uint64_t limit_;
    std::vector<entry> rows_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
