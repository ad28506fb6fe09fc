// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// SHA-256 (FIPS 180-4), for names that nobody can make collide. No package of the core has it.

namespace condense {
inline namespace v1 {
namespace detail {

/// The digest of bytes that a caller adds in any pieces. One pass over them, no allocation.
class sha256 {
public:
    constexpr sha256& add(std::string_view bytes) noexcept {
        for (char const byte : bytes) add(static_cast<std::uint8_t>(byte));
        return *this;
    }
    /// The digest of all that was added so far.
    constexpr std::array<std::uint8_t, 32> digest() const noexcept {
        auto padded = *this;
        padded.add(std::uint8_t{0x80});
        while (padded.size_ % block_size != block_size - 8) padded.add(std::uint8_t{0});
        for (int shift = 56; shift >= 0; shift -= 8) padded.add(static_cast<std::uint8_t>(size_ * 8 >> shift));
        std::array<std::uint8_t, 32> out = {};
        for (std::size_t index = 0; index < out.size(); ++index)
            out[index] = static_cast<std::uint8_t>(padded.state_[index / 4] >> (24 - index % 4 * 8));
        return out;
    }

private:
    static constexpr std::uint64_t block_size = 64;
    static constexpr std::array<std::uint32_t, 64> constants = {
        0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
        0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
        0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
        0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
        0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
        0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
        0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
        0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

    constexpr void add(std::uint8_t byte) noexcept {
        auto& word = words_[size_ % block_size / 4];
        word = word << 8 | byte;
        if (++size_ % block_size == 0) mix();
    }
    static constexpr std::uint32_t turn(std::uint32_t word, int bits) noexcept {
        return word >> bits | word << (32 - bits);
    }
    constexpr void mix() noexcept {
        auto all = words_;  // the schedule, of which the newest sixteen words are needed
        auto [a, b, c, d, e, f, g, h] = state_;
        for (std::size_t round = 0; round < constants.size(); ++round) {
            auto& word = all[round % 16];
            if (round >= 16) {
                auto const early = all[(round + 1) % 16];
                auto const late = all[(round + 14) % 16];
                word += (turn(early, 7) ^ turn(early, 18) ^ early >> 3) + all[(round + 9) % 16] +
                        (turn(late, 17) ^ turn(late, 19) ^ late >> 10);
            }
            auto const first =
                h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[round] + word;
            auto const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
        }
        auto const more = std::array{a, b, c, d, e, f, g, h};
        for (std::size_t index = 0; index < state_.size(); ++index) state_[index] += more[index];
    }

    std::array<std::uint32_t, 8> state_ = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                           0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
    std::array<std::uint32_t, 16> words_ = {};
    std::uint64_t size_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
