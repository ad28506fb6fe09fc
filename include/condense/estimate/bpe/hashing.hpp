// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// Short pieces of text as keys of 16 bytes, and the hashes of tables whose number of places is a power of two.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

// Odd constants with evenly spread bits; the first is 2^64 divided by the golden ratio.
inline constexpr std::uint64_t odd_a = 0x9E3779B97F4A7C15u;
inline constexpr std::uint64_t odd_b = 0xD6E8FEB86659FD93u;

/// The index of a hash in a table of 2^bits places; `bits` is 1 to 63. Takes the upper bits, which multiplication mixes
/// best.
constexpr std::size_t place_of(std::uint64_t hash, unsigned bits) noexcept { return hash >> (64 - bits); }

/// Eight bytes as a number, the first of them lowest on every machine.
inline std::uint64_t load(char const* from) noexcept {
    std::uint64_t value = 0;
    if constexpr (std::endian::native == std::endian::little) std::memcpy(&value, from, sizeof value);
    else
        for (unsigned at = 0; at < 8; ++at) value |= std::uint64_t{static_cast<unsigned char>(from[at])} << (8 * at);
    return value;
}

/// A text of at most 15 bytes and its size, without a pointer: two texts are equal exactly if their keys are. The key
/// of no bytes is all zero, which marks free places.
struct piece_key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;  ///< the size is in its top byte

    static constexpr std::size_t longest = 15;

    constexpr std::uint64_t hash() const noexcept {
        auto const mixed = (low + high * odd_b) * odd_a;
        return mixed ^ mixed << 29;
    }
    friend constexpr bool operator==(piece_key, piece_key) = default;
};

/// The bits of 16 bytes that belong to a text of some size.
struct key_mask {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};
inline constexpr auto key_masks = [] {
    struct {
        key_mask of[16];
    } masks{};
    for (unsigned size = 0; size < 16; ++size) {
        auto const bits = [](unsigned bytes) {
            return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
        };
        masks.of[size] = {bits(size), size > 8 ? bits(size - 8) : 0};
    }
    return masks;
}();

/// The key of any text of at most 15 bytes.
inline piece_key key_of(std::string_view text) noexcept {
    char bytes[16] = {};
    std::memcpy(bytes, text.data(), text.size());
    return {load(bytes), load(bytes + 8) | std::uint64_t{text.size()} << 56};
}

/// As above, without a copy: 16 bytes from `text` must be readable, whatever `size` is.
inline piece_key key_within(char const* text, std::size_t size) noexcept {
    auto const& mask = key_masks.of[size];
    return {load(text) & mask.low, (load(text + 8) & mask.high) | std::uint64_t{size} << 56};
}

/// The hash of a text of any size. Words of eight bytes; the last one overlaps that before it, so that no bytes are
/// left.
inline std::uint64_t text_hash(std::string_view text) noexcept {
    if (text.size() <= piece_key::longest) return key_of(text).hash() * odd_b;
    auto state = std::uint64_t{text.size()} * odd_a;
    auto const add = [&](std::uint64_t word) {
        state = (state ^ word) * odd_b;
        state ^= state >> 32;
    };
    for (std::size_t position = 0; text.size() - position > 8; position += 8) add(load(text.data() + position));
    add(load(text.data() + text.size() - 8));
    return state * odd_a;
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
