// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/estimate/script_class.hpp>
#include <condense/estimate/script_masks.hpp>
#include <condense/estimate/script_points.hpp>

// Counts in one pass the features of a text that decide how many tokens it has: words and their further letters,
// capitals, runs of digits, punctuation and white space, long runs of base64 and hex, characters and runs of each
// script.

namespace condense {
inline namespace v1 {
namespace detail {

/// What is counted of ASCII and Latin. A word is a run of letters, a sign is a character of ASCII punctuation. The
/// order is that of the weights.
enum class text_feature : std::uint8_t {
    // Words, and their letters from the third, fifth and ninth on.
    word,
    letter3,
    letter5,
    letter9,
    // A capital that begins a word, follows a small letter, or follows a capital.
    title,
    hump,
    shout,
    // A word directly after a sign.
    glued,
    // Hints of languages other than English: a, i, o or u at the end of a word or doubled; j, k, q and z.
    open_end,
    twin,
    rare,
    // Digits, runs of them, digits after a space, letters after a digit.
    digit,
    digit_run,
    digit_spaced,
    digit_letter,
    // Signs that differ from the byte before, runs of signs, signs that repeat the byte before, signs after a space.
    sign,
    sign_run,
    sign_repeat,
    sign_spaced,
    // Line ends and runs of them.
    line_end,
    line_run,
    // Runs of two or more spaces, and their spaces from the third on.
    space_run,
    space_more,
    // Runs of tabs, and their tabs from the second on.
    tab,
    tab_more,
    // Other control characters.
    control,
    // Bytes of long runs of base64 and hex, which count for nothing else.
    base64,
    hex
};
inline constexpr std::size_t text_features = static_cast<std::size_t>(text_feature::hex) + 1;

/// How many letters, digits and joiners must come before a byte counts as base64 or hex.
inline constexpr unsigned encoded_run = 40;

/// The mask of a block and that of the block before, for features that reach across the boundary of 64 bytes.
struct mask_pair {
    std::uint64_t current = 0;
    std::uint64_t previous = 0;

    /// Moves each bit to a later byte, by 1 to 63 bytes.
    constexpr mask_pair shifted(unsigned by) const noexcept {
        return {current << by | previous >> (64 - by), previous << by};
    }
    constexpr mask_pair either(mask_pair right) const noexcept {
        return {current | right.current, previous | right.previous};
    }
    constexpr mask_pair both(mask_pair right) const noexcept {
        return {current & right.current, previous & right.previous};
    }
    /// Sets each bit for which one of the same byte or the 31 bytes before is set.
    constexpr mask_pair smeared() const noexcept {
        auto result = *this;
        for (unsigned by = 1; by < 32; by *= 2) result = result.either(result.shifted(by));
        return result;
    }
    /// Keeps the bits that end eight set bits in a row.
    constexpr mask_pair runs_of_eight() const noexcept {
        auto result = *this;
        for (unsigned by = 1; by < 8; by *= 2) result = result.both(result.shifted(by));
        return result;
    }
};

/// A scan of a text block by block, and what it counted so far. `Sink` is called for code points beyond ASCII, with
/// their class, their number, and how many of them begin a run of their writing system. Counts only grow, so that more
/// text never costs less.
template <class Sink>
struct script_scan {
    std::array<std::uint64_t, text_features> counts = {};
    script_masks last = {};  ///< classes of the block before
    std::uint64_t last_letters = 0;
    std::uint64_t last_signs = 0;
    unsigned open_run = 0;  ///< letters, digits and joiners at the end of the block before, at most 64

    constexpr void add(text_feature which, std::uint64_t mask) noexcept {
        counts[static_cast<std::size_t>(which)] += static_cast<unsigned>(std::popcount(mask));
    }

    /// Counts base64 and hex, and returns their bytes. A byte counts after 40 letters, digits and joiners, if
    /// the 32 bytes up to it have what names and prose lack: for base64 digits, capitals and characters that hex does
    /// not have, but no eight small letters in a row, which are a word; for hex digits and letters of hex only.
    [[gnu::always_inline]] constexpr std::uint64_t scan_encoded(script_masks const& in) noexcept {
        auto const alphabet = in.upper | in.lower | in.digits | in.joiners;
        auto const leading = static_cast<unsigned>(std::countr_one(alphabet));
        // Either the run before goes on, or one lies within the block; one that long has all of the middle bits.
        std::uint64_t candidates = 0;
        if (open_run + leading > encoded_run) {
            candidates = leading == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << leading) - 1;
            if (open_run < encoded_run) candidates &= ~std::uint64_t{0} << (encoded_run - open_run);
        } else if (constexpr std::uint64_t middle = 0x0000'01FF'FF80'0000u; (alphabet & middle) == middle) {
            auto const begin = 32 - static_cast<unsigned>(std::countl_one(alphabet << 32));
            auto const end = 32 + static_cast<unsigned>(std::countr_one(alphabet >> 32));
            if (end - begin > encoded_run)
                candidates = (end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1) &
                             (~std::uint64_t{0} << (begin + encoded_run));
        }
        auto const trailing = static_cast<unsigned>(std::countl_one(alphabet));
        open_run = trailing == 64 ? 64 : trailing;
        if (candidates == 0) return 0;
        mask_pair const lower{in.lower, last.lower};
        auto const near_digits = mask_pair{in.digits, last.digits}.smeared().current;
        auto const near_beyond_f = mask_pair{alphabet & ~in.hex_digits,
                                             (last.upper | last.lower | last.digits | last.joiners) & ~last.hex_digits}
                                       .smeared()
                                       .current;
        auto const near_words = lower.runs_of_eight().smeared().current;
        auto const near_capitals = mask_pair{in.upper, last.upper}.smeared().current;
        auto const near_letters = mask_pair{in.upper | in.lower, last.upper | last.lower}.smeared().current;
        auto const base64 = candidates & near_digits & near_beyond_f & near_capitals & ~near_words;
        auto const hex = candidates & near_digits & near_letters & ~near_beyond_f;
        add(text_feature::base64, base64);
        add(text_feature::hex, hex);
        return base64 | hex;
    }

    /// Counts a block, whose classes are `in`; bits of `in` beyond `valid` are clear. `latin` are the bytes of its
    /// Latin letters beyond ASCII, and `ends` says that it is the last one. Inlined by force, so that it is compiled
    /// for the unit of its caller.
    [[gnu::always_inline]] constexpr void add_block(script_masks const& in, std::uint64_t latin, std::uint64_t valid,
                                                    bool ends) noexcept {
        using enum text_feature;
        // A character that is cut off does not end a word, since it may turn out to be a letter.
        auto const complete = ends ? valid & ~(in.lead_bytes & (valid ^ valid >> 1)) : valid;
        auto const letters = in.upper | in.lower | latin;
        auto const blank = in.spaces | in.line_ends | in.tabs | in.controls;
        auto const signs = valid & ~(in.upper | in.lower | in.digits | in.non_ascii | blank);
        auto const plain = ~scan_encoded(in);

        auto const after = [](std::uint64_t current, std::uint64_t previous) { return current << 1 | previous >> 63; };
        mask_pair const word_bytes{letters, last_letters};
        auto const two = word_bytes.both(word_bytes.shifted(1));
        auto const three = two.both(word_bytes.shifted(2));
        auto const five = three.both(two.shifted(3));
        auto const seven = five.both(two.shifted(5));
        auto const nine = seven.both(two.shifted(7));
        auto const after_letter = after(letters, last_letters);
        auto const after_digit = after(in.digits, last.digits);
        auto const after_sign = after(signs, last_signs);
        auto const after_space = after(in.spaces, last.spaces);
        auto const after_line = after(in.line_ends, last.line_ends);
        auto const begins = letters & ~after_letter & plain;
        add(word, begins);
        add(letter3, three.current & plain);
        add(letter5, five.current & plain);
        add(letter9, nine.current & plain);
        add(title, begins & in.upper);
        add(hump, in.upper & after(in.lower, last.lower) & plain);
        add(shout, in.upper & after(in.upper, last.upper) & plain);
        add(glued, begins & after_sign);
        auto const after_vowel = after(in.vowels, last.vowels);
        add(open_end, complete & after_vowel & ~letters & plain);
        add(twin, in.vowels & in.repeats & plain);
        add(rare, in.rare_letters & plain);
        add(digit, in.digits & plain);
        add(digit_run, in.digits & ~after_digit & plain);
        add(digit_spaced, in.digits & after_space & plain);
        add(digit_letter, letters & after_digit & plain);
        add(sign, signs & ~in.repeats & plain);
        add(sign_run, signs & ~after_sign & plain);
        add(sign_repeat, signs & in.repeats & plain);
        add(sign_spaced, signs & after_space);
        add(line_end, in.line_ends);
        add(line_run, in.line_ends & ~after_line);
        auto const spaces_before = mask_pair{in.spaces, last.spaces}.shifted(2).current;
        auto const doubled = in.spaces & after_space;
        add(space_run, doubled & ~spaces_before);
        add(space_more, doubled & spaces_before);
        if ((in.tabs | in.controls) != 0) {
            add(tab, in.tabs & ~after(in.tabs, last.tabs));
            add(tab_more, in.tabs & after(in.tabs, last.tabs));
            add(control, in.controls);
        }
        last = in;
        last_letters = letters;
        last_signs = signs;
    }
};

/// The bits of the first `rest` bytes of a block, of all if there are more.
constexpr std::uint64_t script_valid(std::size_t rest) noexcept {
    return rest >= script_block ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
}

/// How often each feature occurs, by text_feature.
using text_counts = std::array<std::uint64_t, text_features>;

/// The reference implementation: every block a byte at a time.
template <class Sink>
constexpr text_counts scan_scripts_scalar(std::string_view text, Sink& sink) noexcept {
    script_scan<Sink> scan;
    script_run run;
    for (std::size_t position = 0; position < text.size(); position += script_block) {
        auto const rest = text.size() - position < script_block ? text.size() - position : script_block;
        auto const in = scalar_script_masks(text.data() + position, rest, position == 0 ? '\0' : text[position - 1]);
        scan.add_block(
            in,
            add_points<script_tables<Sink>>(in.lead_bytes, in.non_ascii & ~in.lead_bytes, text, position, run, sink),
            script_valid(rest), text.size() - position <= script_block);
    }
    return scan.counts;
}

#if CONDENSE_DETAIL_SCRIPT_X86

// The first and the last block are copied, because the byte before the text and those behind it may not be read. There
// is one call of add_block for all, because each call is a copy of its code.
#define CONDENSE_DETAIL_SCRIPT_SCAN(unit, features, adds)                                                             \
    template <class Sink>                                                                                             \
    [[gnu::target(features)]] text_counts scan_scripts_##unit(std::string_view text, Sink& sink) noexcept {           \
        script_scan<Sink> scan;                                                                                       \
        script_run run;                                                                                               \
        char copy[1 + script_block];                                                                                  \
        for (std::size_t position = 0; position < text.size(); position += script_block) {                            \
            auto const rest = text.size() - position;                                                                 \
            auto from = text.data() + position;                                                                       \
            if (position == 0 || rest < script_block) {                                                               \
                copy[0] = position == 0 ? '\0' : text[position - 1];                                                  \
                std::memset(copy + 1, 0, script_block);                                                               \
                from =                                                                                                \
                    static_cast<char const*>(std::memcpy(copy + 1, from, rest < script_block ? rest : script_block)); \
            }                                                                                                         \
            auto const valid = script_valid(rest);                                                                    \
            auto const in = script_masks_##unit(from).padded(valid);                                                  \
            std::uint64_t latin = 0;                                                                                  \
            if ((in.non_ascii | run.tail_ahead | run.latin_ahead) != 0)                                               \
                latin = adds<script_tables<Sink>>(in.lead_bytes, in.non_ascii & ~in.lead_bytes, text, position, run,  \
                                                  sink);                                                              \
            scan.add_block(in, latin, valid, rest <= script_block);                                                   \
        }                                                                                                             \
        return scan.counts;                                                                                           \
    }

CONDENSE_DETAIL_SCRIPT_SCAN(sse2, "sse2", add_points)
CONDENSE_DETAIL_SCRIPT_SCAN(avx2, "avx2,bmi,popcnt", add_points_avx2)
CONDENSE_DETAIL_SCRIPT_SCAN(avx512, "avx512f,avx512bw,bmi,popcnt", add_points_avx2)
#undef CONDENSE_DETAIL_SCRIPT_SCAN

#endif

/// Scans a text with the widest vector unit of this machine, and by the reference in a constant expression. All give
/// the same counts. ASCII costs some masks for each block, other code points a look-up each.
template <class Sink>
constexpr text_counts scan_scripts(std::string_view text, Sink& sink) noexcept {
#if CONDENSE_DETAIL_SCRIPT_X86
    if (!std::is_constant_evaluated()) {
        if (has_script_avx512()) return scan_scripts_avx512(text, sink);
        return has_script_avx2() ? scan_scripts_avx2(text, sink) : scan_scripts_sse2(text, sink);
    }
#endif
    return scan_scripts_scalar(text, sink);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
