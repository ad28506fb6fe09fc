// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <condense/estimate/bpe/split.hpp>

// Where pieces begin in up to 64 bytes of ASCII, by arithmetic on masks. A window begins where a piece
// begins, so nothing is carried from one to the next; what its last bytes leave open is the next one's.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// A bit for each byte of a window, the first the lowest. Bytes that are in no mask are signs and controls.
struct window_masks {
    std::uint64_t letters = 0;
    std::uint64_t capitals = 0;  ///< among letters
    std::uint64_t digits = 0;
    std::uint64_t spaces = 0;    ///< white space, line ends too
    std::uint64_t line_ends = 0;
    std::uint64_t blanks = 0;    ///< U+0020 alone
    std::uint64_t quotes = 0;
    std::uint64_t slashes = 0;
    std::uint64_t foreign = 0;   ///< not ASCII

    friend constexpr bool operator==(window_masks const&, window_masks const&) = default;
};

/// The masks of `size` bytes, at most 64: the reference for all that compute them faster.
constexpr window_masks masks_of(char const* text, std::size_t size = 64) noexcept {
    window_masks out;
    for (std::size_t at = 0; at < size; ++at) {
        auto const bit = std::uint64_t{1} << at;
        auto const byte = static_cast<unsigned char>(text[at]);
        if (byte >= 0x80) {
            out.foreign |= bit;
            continue;
        }
        auto const kind = class_of(byte);
        if (is_letter(kind)) out.letters |= bit;
        if (kind == char_class::upper) out.capitals |= bit;
        if (kind == char_class::number) out.digits |= bit;
        if (kind == char_class::space) out.spaces |= bit;
        if (is_line_end(text[at])) out.line_ends |= bit;
        if (byte == ' ') out.blanks |= bit;
        if (byte == '\'') out.quotes |= bit;
        if (byte == '/') out.slashes |= bit;
    }
    return out;
}

/// The bits of `mask` in runs that begin at a bit of `starts`, which has first bits of runs only.
constexpr std::uint64_t runs_from(std::uint64_t mask, std::uint64_t starts) noexcept { return mask & ~(mask + starts); }

/// Bits of the places after the first where pieces begin, as far as 64 bytes tell. `text` are the bytes.
template <split_rules Rules>
[[gnu::always_inline]] inline std::uint64_t cuts(window_masks const& in, char const* text) noexcept {
    auto const known = in.foreign == 0 ? 64u : static_cast<unsigned>(std::countr_zero(in.foreign));
    if (known < 2) return 0;
    auto const inside = known == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << known) - 1;
    auto const letters = in.letters & inside;
    auto const digits = in.digits & inside;
    auto const all_signs = inside & ~(letters | digits | in.spaces);

    // Line ends that follow signs are theirs, and slashes after them.
    auto const first_ends = in.line_ends & inside & all_signs << 1;
    std::uint64_t taken = 0;
    if (first_ends != 0) {
        auto const may_follow = (in.line_ends | (Rules.takes_slashes ? in.slashes : 0)) & inside;
        // Several starts may stand in one run where slashes do: the carry of one then stops at the next.
        taken = runs_from(may_follow, first_ends) | first_ends;
    }
    auto const signs = all_signs & ~taken;
    auto const spaces = in.spaces & inside & ~taken;
    auto const blanks = in.blanks & spaces;
    auto const line_ends = in.line_ends & spaces;
    auto const others = spaces & ~line_ends;

    auto const sign_runs = signs & ~(signs << 1);
    auto const own_signs = sign_runs & ~(blanks << 1);  // those that no blank begins
    auto const letter_runs = letters & ~(letters << 1);
    auto const space_runs = spaces & ~(spaces << 1);
    auto const digit_runs = digits & ~(digits << 1);

    auto out = own_signs | space_runs | digit_runs;
    out |= letter_runs & ~((others | own_signs) << 1);
    if constexpr (Rules.by_case) out |= in.capitals & letters & (letters & ~in.capitals) << 1;
    out |= others & ~(spaces >> 1);  // the last of white space, which begins what follows or stands alone

    // After the last line end of a run.
    auto after = others & line_ends << 1;
    if (after != 0) {
        auto const broken = line_ends & others << 1;
        if (broken != 0) {
            auto ended = (others + after) & ~others & line_ends;
            for (; ended != 0; ended &= ended - 1) {
                auto const below = after & ((ended & (~ended + 1)) - 1);
                after &= ~std::bit_floor(below);
            }
        }
        out |= after;
    }

    // Digits in groups.
    if constexpr (Rules.digits == 1) {
        out |= digits;
    } else {
        auto whole = digits & digits << 1;
        for (unsigned more = 2; more <= Rules.digits; ++more) whole &= digits << more;
        if (whole != 0)
            for (auto group = digit_runs; (group = group << Rules.digits & whole) != 0;) out |= group;
    }

    auto usable = inside;
    if (auto const quotes = in.quotes & own_signs; quotes != 0) {
        if constexpr (!Rules.by_case) {
            for (auto left = quotes & letters >> 1; left != 0; left &= left - 1) {
                auto const at = static_cast<unsigned>(std::countr_zero(left));
                auto const size = contraction({text, known}, at);
                if (size != 0 && at + size < 64) out |= std::uint64_t{1} << (at + size);
            }
        } else {
            unsigned last = 0;  // where a contraction ends no second one follows
            for (auto left = quotes & letters << 1; left != 0; left &= left - 1) {
                auto const at = static_cast<unsigned>(std::countr_zero(left));
                if (at == last) continue;
                if (at + 2 >= known) {
                    usable &= (std::uint64_t{1} << at) - 1;
                    break;
                }
                auto const size = contraction({text, known}, at);
                if (size == 0) continue;
                last = at + static_cast<unsigned>(size);
                out &= ~(((std::uint64_t{1} << size) - 1) << at);
                if (last < 64) out |= std::uint64_t{1} << last;
            }
        }
    }

    // White space that the window does not end is open from its first byte on.
    if ((spaces >> (known - 1) & 1u) != 0) usable &= (std::bit_floor(space_runs) << 1) - 1;
    return out & usable & ~std::uint64_t{1};
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
