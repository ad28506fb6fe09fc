// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

// Selects the rows of greatest weight in one pass.

namespace condense {
inline namespace v1 {
namespace detail {

/// At most `most` rows, greatest weight first; of equal weights the row offered first stays.
class best_rows {
public:
    struct entry {
        std::uint32_t weight = 0;
        std::uint64_t row = 0;
        std::string_view text = {};
    };

    explicit constexpr best_rows(std::uint64_t most) noexcept : most_{most} {}

    constexpr std::size_t size() const noexcept { return rows_.size(); }

    constexpr void offer(entry const& offered) {
        if (most_ == 0 || (rows_.size() == most_ && offered.weight <= rows_.back().weight)) return;
        if (rows_.size() == most_) rows_.pop_back();
        auto at = rows_.end();
        while (at != rows_.begin() && (at - 1)->weight < offered.weight) --at;
        rows_.insert(at, offered);
    }

    /// Removes rows below 3/4 of the greatest weight, the least first, while there are more than `enough`.
    constexpr void trim(std::size_t enough) {
        while (rows_.size() > enough && rows_.back().weight < rows_[0].weight - rows_[0].weight / 4) rows_.pop_back();
    }

    /// Calls `sink` with the texts in the order of the rows.
    template <class Sink>
    constexpr void in_order(Sink sink) const {
        std::uint64_t from = 0;
        for (auto left = rows_.size(); left != 0; --left) {
            entry const* next = nullptr;
            for (auto const& each : rows_)
                if (each.row >= from && (next == nullptr || each.row < next->row)) next = &each;
            sink(next->text);
            from = next->row + 1;
        }
    }

private:
    std::uint64_t most_;
    std::vector<entry> rows_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
