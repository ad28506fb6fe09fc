// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

// The few rows of greatest weight, from one pass over all.

namespace condense {
inline namespace v1 {
namespace detail {

/// A heap of at most `most` rows with the least on top; of equal weights the earlier row stays.
class best_rows {
public:
    explicit constexpr best_rows(std::uint64_t most) noexcept : most_{most} {}

    constexpr std::size_t size() const noexcept { return rows_.size(); }

    struct entry {
        std::uint32_t weight = 0;
        std::uint64_t row = 0;
        std::string_view text = {};
    };

    constexpr void offer(entry const& offered) {
        if (rows_.size() < most_) {
            rows_.push_back(offered);
            for (auto at = rows_.size() - 1; at != 0 && less(rows_[at], rows_[(at - 1) / 2]); at = (at - 1) / 2)
                swap(at, (at - 1) / 2);
        } else if (most_ != 0 && less(rows_[0], offered)) {
            rows_[0] = offered;
            sink();
        }
        if (offered.weight > greatest_) greatest_ = offered.weight;
    }

    /// Takes out those below 3/4 of the greatest weight, the least first, while there are more than `enough`.
    constexpr void trim(std::size_t enough) {
        while (rows_.size() > enough && rows_[0].weight < greatest_ - greatest_ / 4) {
            rows_[0] = rows_.back();
            rows_.pop_back();
            sink();
        }
    }

    /// Shows the texts of the rows, first row first.
    template <class Sink>
    constexpr void in_order(Sink sink) const {
        std::uint64_t from = 0;
        for (auto left = rows_.size(); left != 0; --left) {
            auto const* next = static_cast<entry const*>(nullptr);
            for (auto const& each : rows_)
                if (each.row >= from && (next == nullptr || each.row < next->row)) next = &each;
            sink(next->text);
            from = next->row + 1;
        }
    }

private:
    static constexpr bool less(entry const& left, entry const& right) noexcept {
        return left.weight != right.weight ? left.weight < right.weight : left.row > right.row;
    }
    constexpr void sink() noexcept {
        for (std::size_t at = 0, child = 1; child < rows_.size(); at = child, child = 2 * at + 1) {
            if (child + 1 < rows_.size() && less(rows_[child + 1], rows_[child])) ++child;
            if (!less(rows_[child], rows_[at])) return;
            swap(at, child);
        }
    }
    constexpr void swap(std::size_t left, std::size_t right) noexcept {
        auto const kept = rows_[left];
        rows_[left] = rows_[right];
        rows_[right] = kept;
    }

    std::uint64_t most_;
    std::uint32_t greatest_ = 0;
    std::vector<entry> rows_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
