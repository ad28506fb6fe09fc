// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

// A piece of text by its end, and what all rules for pieces ask of a byte.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

struct piece {
    std::size_t end = 0;
    bool valid = true;  ///< no ill-formed part in it
};

constexpr bool is_line_end(char byte) noexcept { return byte == '\n' || byte == '\r'; }

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
