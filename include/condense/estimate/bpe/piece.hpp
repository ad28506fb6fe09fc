// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

// A piece of text, given by its end, and what all rules for pieces ask about a byte.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// The end of a piece, whose begin the caller knows.
struct piece {
    std::size_t end = 0;
    bool valid = true;  ///< well-formed UTF-8, so that it can be counted without replacements
};

constexpr bool is_line_end(char byte) noexcept { return byte == '\n' || byte == '\r'; }

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
