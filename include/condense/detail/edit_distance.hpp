// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

// The distance of two names, to suggest a known name for an unknown one.

namespace condense {
inline namespace v1 {
namespace detail {

/// Levenshtein's distance: how many insertions, removals and replacements of one byte turn `from` into `to`. Costs the
/// product of the sizes, and memory for one row of the table.
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    for (std::size_t column = 0; column < row.size(); ++column) row[column] = column;
    for (std::size_t index = 1; index <= from.size(); ++index) {
        // `row` holds the distances of the prefixes of `to` from a prefix of `from`, one byte longer with each round.
        auto diagonal = std::exchange(row[0], index);
        for (std::size_t column = 1; column < row.size(); ++column) {
            auto const replaced = diagonal + (from[index - 1] == to[column - 1] ? 0u : 1u);
            diagonal = row[column];
            auto const inserted = (row[column] < row[column - 1] ? row[column] : row[column - 1]) + 1;
            row[column] = replaced < inserted ? replaced : inserted;
        }
    }
    return row.back();
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
