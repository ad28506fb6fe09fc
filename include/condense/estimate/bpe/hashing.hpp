// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// Short pieces of text as keys of 16 bytes, and the hashes of tables with a power of two of places.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

inline constexpr std::uint64_t odd_a = 0x9E3779B97F4A7C15u;
inline constexpr std::uint64_t odd_b = 0xD6E8FEB86659FD93u;

/// The place of a key in a table of 2^bits places; `bits` is 1 to 63.
constexpr std::size_t place_of(std::uint64_t hash, unsigned bits) noexcept { return hash >> (64 - bits); }

inline std::uint64_t load(char const* from) noexcept {
    std::uint64_t out = 0;
    std::memcpy(&out, from, sizeof out);
    return out;
}

/// Text of at most 15 bytes and its size: two texts are equal when their keys are.
struct piece_key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;  ///< the size in its top byte

    static constexpr std::size_t longest = 15;

    constexpr std::uint64_t hash() const noexcept {
        auto const mixed = (low + high * odd_b) * odd_a;
        return mixed ^ mixed << 29;
    }
    friend constexpr bool operator==(piece_key, piece_key) = default;
};

/// What of 16 bytes belongs to a text of that size, in the byte order of little-endian machines.
struct key_mask {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};
inline constexpr auto key_masks = [] {
    struct {
        key_mask of[16];
    } out{};
    for (unsigned size = 0; size < 16; ++size) {
        auto const bits = [](unsigned bytes) {
            return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
        };
        out.of[size] = {bits(size), size > 8 ? bits(size - 8) : 0};
    }
    return out;
}();

/// The key of any text of at most 15 bytes.
inline piece_key key_of(std::string_view text) noexcept {
    char bytes[16] = {};
    std::memcpy(bytes, text.data(), text.size());
    return {load(bytes), load(bytes + 8) | std::uint64_t{text.size()} << 56};
}

/// As above, where 16 bytes may be read.
inline piece_key key_within(char const* text, std::size_t size) noexcept {
    if constexpr (std::endian::native != std::endian::little) return key_of({text, size});
    auto const& mask = key_masks.of[size];
    return {load(text) & mask.low, (load(text + 8) & mask.high) | std::uint64_t{size} << 56};
}

/// The hash of a text of any size.
inline std::uint64_t text_hash(std::string_view text) noexcept {
    if (text.size() <= piece_key::longest) return key_of(text).hash() * odd_b;
    auto state = std::uint64_t{text.size()} * odd_a;
    auto const add = [&](std::uint64_t word) {
        state = (state ^ word) * odd_b;
        state ^= state >> 32;
    };
    for (std::size_t at = 0; text.size() - at > 8; at += 8) add(load(text.data() + at));
    add(load(text.data() + text.size() - 8));
    return state * odd_a;
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
