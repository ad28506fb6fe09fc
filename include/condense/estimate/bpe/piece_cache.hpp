// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <condense/estimate/bpe/hashing.hpp>

// How many tokens pieces seen before have. The whole piece is the key, so what is found is exact; what
// is not found is only slower. Of fixed size: new pieces drive out old ones.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Pieces of at most 15 bytes. A piece has no more tokens than bytes, so both stand in the top byte.
class short_cache {
public:
    static constexpr unsigned bits = 17;

    /// 0 where it is not known.
    std::uint32_t find(piece_key const& key, std::uint64_t hash) const noexcept {
        auto const at = place_of(hash, bits);
        if (auto const& each = places_[at]; holds(each, key)) return static_cast<std::uint32_t>(each.high >> 60);
        if (auto const& each = places_[at ^ 1]; holds(each, key)) return static_cast<std::uint32_t>(each.high >> 60);
        return 0;
    }
    void put(piece_key const& key, std::uint64_t hash, std::uint32_t count) noexcept {
        auto const at = place_of(hash, bits);
        places_[at ^ 1] = places_[at];
        places_[at] = {key.low, key.high | std::uint64_t{count} << 60};
    }

private:
    static constexpr std::uint64_t size_and_text = (std::uint64_t{1} << 60) - 1;
    static bool holds(piece_key const& each, piece_key const& key) noexcept {
        return each.low == key.low && (each.high & size_and_text) == key.high;
    }

    std::vector<piece_key> places_ = std::vector<piece_key>(std::size_t{1} << bits);
};

/// Pieces of 16 to 30 bytes.
class middle_cache {
public:
    static constexpr unsigned bits = 14;
    static constexpr std::size_t longest = 30;

    /// `count` gives the tokens where they are not known.
    template <class Count>
    std::uint32_t operator()(std::string_view piece, Count count) {
        auto const size = static_cast<std::uint8_t>(piece.size());
        auto& each = places_[place_of(text_hash(piece), bits)];
        if (each.size == size && std::memcmp(each.text, piece.data(), piece.size()) == 0) return each.count;
        auto const found = count();
        each.size = size;
        each.count = static_cast<std::uint8_t>(found);
        std::memcpy(each.text, piece.data(), piece.size());
        return found;
    }

private:
    struct place {
        char text[longest] = {};
        std::uint8_t size = 0;
        std::uint8_t count = 0;
    };
    std::vector<place> places_ = std::vector<place>(std::size_t{1} << bits);
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
