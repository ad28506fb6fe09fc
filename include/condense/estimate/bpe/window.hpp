// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <condense/estimate/bpe/split.hpp>

// Finds where pieces begin in up to 64 bytes of ASCII, by arithmetic on masks. A window begins where a piece begins, so
// nothing is carried from one to the next; what its last bytes leave open is left to the next window.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// A bit for each byte of a window, the lowest for the first. Bytes in no mask are signs and controls.
struct window_masks {
    std::uint64_t letters = 0;
    std::uint64_t capitals = 0;  ///< letters too
    std::uint64_t digits = 0;
    std::uint64_t spaces = 0;  ///< white space, with line ends
    std::uint64_t line_ends = 0;
    std::uint64_t blanks = 0;  ///< U+0020 alone
    std::uint64_t quotes = 0;
    std::uint64_t slashes = 0;
    std::uint64_t non_ascii = 0;  ///< not ASCII

    friend constexpr bool operator==(window_masks const&, window_masks const&) = default;
};

/// The masks of `size` bytes, at most 64: the reference for the vector units.
constexpr window_masks masks_of(char const* text, std::size_t size = 64) noexcept {
    window_masks masks;
    for (std::size_t index = 0; index < size; ++index) {
        auto const bit = std::uint64_t{1} << index;
        auto const byte = static_cast<unsigned char>(text[index]);
        if (byte >= 0x80) {
            masks.non_ascii |= bit;
            continue;
        }
        auto const kind = class_of(byte);
        if (is_letter(kind)) masks.letters |= bit;
        if (kind == char_class::upper) masks.capitals |= bit;
        if (kind == char_class::number) masks.digits |= bit;
        if (kind == char_class::space) masks.spaces |= bit;
        if (is_line_end(text[index])) masks.line_ends |= bit;
        if (byte == ' ') masks.blanks |= bit;
        if (byte == '\'') masks.quotes |= bit;
        if (byte == '/') masks.slashes |= bit;
    }
    return masks;
}

/// The bits of `mask` in runs whose first bit is in `starts`, which has no other bits. Adding the first bit of a run
/// carries through all of it.
constexpr std::uint64_t runs_from(std::uint64_t mask, std::uint64_t starts) noexcept { return mask & ~(mask + starts); }

/// White space ends after the last line end of its run, not after those before.
[[gnu::always_inline]] inline std::uint64_t ends_of_lines(std::uint64_t line_ends, std::uint64_t others) noexcept {
    auto after = others & line_ends << 1;
    if (after == 0) return 0;
    // A run may have several such places; all but the last are removed, found by a carry through the run.
    auto const broken = line_ends & others << 1;
    if (broken == 0) return after;
    for (auto ended = (others + after) & ~others & line_ends; ended != 0; ended &= ended - 1) {
        auto const below = after & ((ended & (~ended + 1)) - 1);
        after &= ~std::bit_floor(below);
    }
    return after;
}
/// Digits come in groups: a group begins at the start of a run, and wherever a full group ends and digits go on.
template <split_rules Rules>
[[gnu::always_inline]] inline std::uint64_t digit_groups(std::uint64_t digits, std::uint64_t runs) noexcept {
    if constexpr (Rules.digits == 1) return digits;
    auto groups = runs;
    auto full_groups = digits & digits << 1;
    for (unsigned more = 2; more <= Rules.digits; ++more) full_groups &= digits << more;
    if (full_groups != 0)
        for (auto group = runs; (group = group << Rules.digits & full_groups) != 0;) groups |= group;
    return groups;
}
/// Contractions are pieces of their own, or by case belong to the word before. Places from one on that the window may
/// not have completely are taken out of `usable`.
template <split_rules Rules>
[[gnu::always_inline]] inline void cut_contractions(std::string_view text, std::uint64_t quotes, std::uint64_t letters,
                                                    std::uint64_t& result, std::uint64_t& usable) noexcept {
    if constexpr (!Rules.by_case) {
        for (auto remaining = quotes & letters >> 1; remaining != 0; remaining &= remaining - 1) {
            auto const quote = static_cast<unsigned>(std::countr_zero(remaining));
            auto const size = contraction(text, quote);
            if (size != 0 && quote + size < 64) result |= std::uint64_t{1} << (quote + size);
        }
    } else {
        unsigned last = 0;  // a contraction cannot follow another directly
        for (auto remaining = quotes & letters << 1; remaining != 0; remaining &= remaining - 1) {
            auto const quote = static_cast<unsigned>(std::countr_zero(remaining));
            if (quote == last) continue;
            if (quote + 2 >= text.size()) {
                usable &= (std::uint64_t{1} << quote) - 1;
                break;
            }
            auto const size = contraction(text, quote);
            if (size == 0) continue;
            last = quote + static_cast<unsigned>(size);
            result &= ~(((std::uint64_t{1} << size) - 1) << quote);
            if (last < 64) result |= std::uint64_t{1} << last;
        }
    }
}

/// The places after the first at which pieces begin, as far as the 64 bytes at `text` tell; 0 if they tell none. A
/// place is left out if bytes behind the window, or behind the first byte that is not ASCII, could move it.
template <split_rules Rules>
[[gnu::always_inline]] inline std::uint64_t cuts(window_masks const& in, char const* text) noexcept {
    auto const ascii_size = in.non_ascii == 0 ? 64u : static_cast<unsigned>(std::countr_zero(in.non_ascii));
    if (ascii_size < 2) return 0;
    auto const inside = ascii_size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ascii_size) - 1;
    auto const letters = in.letters & inside;
    auto const digits = in.digits & inside;
    auto const all_signs = inside & ~(letters | digits | in.spaces);

    // Line ends that follow signs belong to their piece, and so do slashes, in schemes that say so.
    auto const first_ends = in.line_ends & inside & all_signs << 1;
    std::uint64_t absorbed = 0;
    if (first_ends != 0) {
        auto const may_follow = (in.line_ends | (Rules.takes_slashes ? in.slashes : 0)) & inside;
        // With slashes several starts may be in one run; the carry of one then stops at the next, which is added here.
        absorbed = runs_from(may_follow, first_ends) | first_ends;
    }
    auto const signs = all_signs & ~absorbed;
    auto const spaces = in.spaces & inside & ~absorbed;
    auto const blanks = in.blanks & spaces;
    auto const line_ends = in.line_ends & spaces;
    auto const others = spaces & ~line_ends;

    // The first byte of each run. A run of signs or letters belongs to the piece of what leads it: a blank for signs;
    // for letters white space other than line ends, or a single sign.
    auto const sign_runs = signs & ~(signs << 1);
    auto const own_signs =
        sign_runs & ~(blanks << 1);  // those without a blank before them, which would begin the piece
    auto const letter_runs = letters & ~(letters << 1);
    auto const space_runs = spaces & ~(spaces << 1);
    auto const digit_runs = digits & ~(digits << 1);

    auto result = own_signs | space_runs;
    result |= letter_runs & ~((others | own_signs) << 1);
    if constexpr (Rules.by_case) result |= in.capitals & letters & (letters & ~in.capitals) << 1;
    result |= others & ~(spaces >> 1);  // the last white space of a run leads what follows, or is a piece of its own

    result |= ends_of_lines(line_ends, others);
    result |= digit_groups<Rules>(digits, digit_runs);

    auto usable = inside;
    if (auto const quotes = in.quotes & own_signs; quotes != 0)
        cut_contractions<Rules>({text, ascii_size}, quotes, letters, result, usable);

    // White space that goes up to the end of the window may go on, so only its first byte is certain.
    if ((spaces >> (ascii_size - 1) & 1u) != 0) usable &= (std::bit_floor(space_runs) << 1) - 1;
    return result & usable & ~std::uint64_t{1};
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
