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

/// Levenshtein's distance: insertions, removals and replacements of one character.
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    for (std::size_t at = 0; at < row.size(); ++at) row[at] = at;
    for (std::size_t line = 1; line <= from.size(); ++line) {
        auto diagonal = std::exchange(row[0], line);
        for (std::size_t at = 1; at < row.size(); ++at) {
            auto const exchanged = diagonal + (from[line - 1] == to[at - 1] ? 0u : 1u);
            diagonal = row[at];
            auto const longer = (row[at] < row[at - 1] ? row[at] : row[at - 1]) + 1;
            row[at] = exchanged < longer ? exchanged : longer;
        }
    }
    return row.back();
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
