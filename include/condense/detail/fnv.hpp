// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

// FNV-1a, 64 bits: a cheap hash of text that is easily forged, so it never decides alone that two texts are equal.

namespace condense {
inline namespace v1 {
namespace detail {

/// The offset basis: the state before the first byte.
inline constexpr std::uint64_t fnv_basis = 0xCBF29CE484222325u;

/// Adds one value to a hash; of texts each byte is one. The factor is the 64-bit FNV prime.
constexpr std::uint64_t fnv1a(std::uint64_t state, std::uint64_t value) noexcept {
    return (state ^ value) * 0x100000001B3u;
}

/// Hashes text, or adds it to a hash.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t state = fnv_basis) noexcept {
    for (char const byte : text) state = fnv1a(state, static_cast<unsigned char>(byte));
    return state;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
