// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <condense/estimate/script_class.hpp>
#include <condense/estimate/script_masks.hpp>

// What a tokenizer's cost is made of, counted in one pass: begins of words and their further letters, capitals,
// runs of digits, of punctuation and of white space, long runs of base64 and hex, characters and words of each script.

namespace condense {
inline namespace v1 {
namespace detail {

/// What is counted of ASCII and Latin. A word is a run of letters.
enum class text_feature : std::uint8_t {
    word,
    letter3,
    letter5,
    letter9,   ///< words, and their letters from the third, fifth, ninth on
    title,                             ///< a capital begins a word
    hump,                              ///< a capital after a small letter
    shout,                             ///< a capital after a capital
    glued,                             ///< a word directly after punctuation
    open_end,
    twin,
    rare,              ///< of other languages than English: a, i, o, u at the end of a word or doubled; j, k, q, z
    digit,
    digit_run,                  ///< digits, their runs
    digit_spaced,
    digit_letter,        ///< a digit after a space, a letter after a digit
    sign,
    sign_run,
    sign_repeat,
    sign_spaced,  ///< punctuation; the last two: the same again, and after a space
    line_end,
    line_run,
    space_run,
    space_more,             ///< two or more spaces, those from the third on
    tab,
    tab_more,
    control,
    base64,
    hex
};
inline constexpr std::size_t text_features = static_cast<std::size_t>(text_feature::hex) + 1;

/// Letters, digits and joiners that must come before a byte counts as base64 or hex.
inline constexpr unsigned encoded_run = 40;

/// A mask and the one before it, so that what reaches across 64 bytes is seen.
struct mask_pair {
    std::uint64_t now = 0;
    std::uint64_t before = 0;

    constexpr mask_pair shifted(unsigned by) const noexcept { return {now << by | before >> (64 - by), before << by}; }
    constexpr mask_pair either(mask_pair other) const noexcept { return {now | other.now, before | other.before}; }
    constexpr mask_pair both(mask_pair other) const noexcept { return {now & other.now, before & other.before}; }
    /// Bits at most 31 behind one that is set.
    constexpr mask_pair smeared() const noexcept {
        auto out = *this;
        for (unsigned by = 1; by < 32; by *= 2) out = out.either(out.shifted(by));
        return out;
    }
    /// Bits that are set with the seven before them.
    constexpr mask_pair eight() const noexcept {
        auto out = *this;
        for (unsigned by = 1; by < 8; by *= 2) out = out.both(out.shifted(by));
        return out;
    }
};

/// Counts of a text so far. `Sink` is told each code point that is not ASCII: its class, and whether it begins a run.
template <class Sink>
struct script_scan {
    using tables = script_tables<Sink>;

    Sink& sink;
    std::array<std::uint64_t, text_features> counts = {};
    script_masks last = {};                        ///< of the block before
    std::uint64_t last_letters = 0;
    std::uint64_t last_signs = 0;
    std::uint64_t latin_ahead = 0;                 ///< bytes of the next block that belong to a Latin letter
    std::uint64_t tail_ahead = 0;                  ///< bytes of the next block that belong to any code point
    std::size_t run_end = 0;                       ///< where the last code point beyond ASCII ended
    script_class run = script_class::stray;
    unsigned open = 0;  ///< length of the run of encoded characters at the end, at most 64

    constexpr void add(text_feature which, std::uint64_t mask) noexcept {
        counts[static_cast<std::size_t>(which)] += static_cast<unsigned>(std::popcount(mask));
    }

    /// The code points beyond ASCII of the block at `at`; the bytes of Latin letters among them.
    [[gnu::always_inline]] constexpr std::uint64_t foreign(script_masks const& in, std::string_view text,
                                                           std::size_t at) noexcept {
        auto latin = latin_ahead;
        auto known = tail_ahead;
        latin_ahead = tail_ahead = 0;
        for (auto left = in.leads; left != 0; left &= left - 1) {
            auto const bit = static_cast<unsigned>(std::countr_zero(left));
            auto const here = at + bit;
            // A character that is cut off at the end counts when the rest has come, so that more text never costs less.
            if (here + 1 >= text.size()) break;
            auto const lead = static_cast<unsigned char>(text[here]);
            auto const which = script_of<tables>(lead, static_cast<unsigned char>(text[here + 1]));
            auto const length = which == script_class::stray ? 1u : script_length(lead);
            auto const bytes = (std::uint64_t{1} << length) - 1;
            known |= bytes << bit;
            if (bit + length > 64) tail_ahead = bytes >> (64 - bit);
            if (is_latin(which)) {
                latin |= bytes << bit;
                if (bit + length > 64) latin_ahead = bytes >> (64 - bit);
            }
            auto const head = tables::heads[static_cast<std::size_t>(which)];
            sink(which, run_end != here || head != run);
            run = head;
            run_end = here + length;
        }
        for (auto left = in.foreign & ~in.leads & ~known; left != 0; left &= left - 1) sink(script_class::stray, false);
        return latin;
    }

    /// Where base64 or hex has gone on for long: letters and digits only, capitals or figures among the last 32, no
    /// word.
    [[gnu::always_inline]] constexpr std::uint64_t encoded(script_masks const& in) noexcept {
        auto const alphabet = in.upper | in.lower | in.digits | in.joiners;
        auto const ones = static_cast<unsigned>(std::countr_one(alphabet));
        std::uint64_t found = 0;
        if (open + ones > encoded_run) {
            found = ones == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ones) - 1;
            if (open < encoded_run) found &= ~std::uint64_t{0} << (encoded_run - open);
        } else if (constexpr std::uint64_t middle = 0x0000'01FF'FF80'0000u; (alphabet & middle) == middle) {
            auto const begin = 32 - static_cast<unsigned>(std::countl_one(alphabet << 32));
            auto const end = 32 + static_cast<unsigned>(std::countr_one(alphabet >> 32));
            if (end - begin > encoded_run)
                found = (end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1) &
                        (~std::uint64_t{0} << (begin + encoded_run));
        }
        auto const closing = static_cast<unsigned>(std::countl_one(alphabet));
        open = closing == 64 ? 64 : closing;
        if (found == 0) return 0;
        mask_pair const lower{in.lower, last.lower};
        auto const numbers = mask_pair{in.digits, last.digits}.smeared().now;
        auto const beyond =
            mask_pair{alphabet & ~in.figures, (last.upper | last.lower | last.digits | last.joiners) & ~last.figures}
                .smeared()
                .now;
        auto const words = lower.eight().smeared().now;
        auto const capitals = mask_pair{in.upper, last.upper}.smeared().now;
        auto const letters = mask_pair{in.upper | in.lower, last.upper | last.lower}.smeared().now;
        auto const base64 = found & numbers & beyond & capitals & ~words;
        auto const hex = found & numbers & letters & ~beyond;
        add(text_feature::base64, base64);
        add(text_feature::hex, hex);
        return base64 | hex;
    }

    /// The block at `at`; bits of `in` beyond `valid` are clear.
    [[gnu::always_inline]] constexpr void absorb(script_masks const& in, std::uint64_t valid, std::string_view text,
                                                 std::size_t at) noexcept {
        using enum text_feature;
        std::uint64_t latin = 0;
        auto settled = valid;
        if ((in.foreign | latin_ahead | tail_ahead) != 0) {
            latin = foreign(in, text, at) & in.foreign;
            // Nor does a character that is cut off end a word: it may be a letter.
            if (text.size() - at <= script_block) settled &= ~(in.leads & (valid ^ valid >> 1));
        }
        auto const letters = in.upper | in.lower | latin;
        auto const blank = in.spaces | in.line_ends | in.tabs | in.controls;
        auto const signs = valid & ~(in.upper | in.lower | in.digits | in.foreign | blank);
        auto const keep = ~encoded(in);

        auto const by = [](std::uint64_t now, std::uint64_t before) { return now << 1 | before >> 63; };
        mask_pair const word_bytes{letters, last_letters};
        auto const two = word_bytes.both(word_bytes.shifted(1));
        auto const three = two.both(word_bytes.shifted(2));
        auto const five = three.both(two.shifted(3));
        auto const seven = five.both(two.shifted(5));
        auto const nine = seven.both(two.shifted(7));
        auto const after_letter = by(letters, last_letters);
        auto const after_digit = by(in.digits, last.digits);
        auto const after_sign = by(signs, last_signs);
        auto const after_space = by(in.spaces, last.spaces);
        auto const after_line = by(in.line_ends, last.line_ends);
        auto const begins = letters & ~after_letter & keep;
        add(word, begins);
        add(letter3, three.now & keep);
        add(letter5, five.now & keep);
        add(letter9, nine.now & keep);
        add(title, begins & in.upper);
        add(hump, in.upper & by(in.lower, last.lower) & keep);
        add(shout, in.upper & by(in.upper, last.upper) & keep);
        add(glued, begins & after_sign);
        auto const after_vowel = by(in.vowels, last.vowels);
        add(open_end, settled & after_vowel & ~letters & keep);
        add(twin, in.vowels & in.repeats & keep);
        add(rare, in.rares & keep);
        add(digit, in.digits & keep);
        add(digit_run, in.digits & ~after_digit & keep);
        add(digit_spaced, in.digits & after_space & keep);
        add(digit_letter, letters & after_digit & keep);
        add(sign, signs & ~in.repeats & keep);
        add(sign_run, signs & ~after_sign & keep);
        add(sign_repeat, signs & in.repeats & keep);
        add(sign_spaced, signs & after_space);
        add(line_end, in.line_ends);
        add(line_run, in.line_ends & ~after_line);
        auto const spaces_before = mask_pair{in.spaces, last.spaces}.shifted(2).now;
        auto const doubled = in.spaces & after_space;
        add(space_run, doubled & ~spaces_before);
        add(space_more, doubled & spaces_before);
        if ((in.tabs | in.controls) != 0) {
            add(tab, in.tabs & ~by(in.tabs, last.tabs));
            add(tab_more, in.tabs & by(in.tabs, last.tabs));
            add(control, in.controls);
        }
        last = in;
        last_letters = letters;
        last_signs = signs;
    }
};

/// Bits for the bytes of a block of which `rest` are left.
constexpr std::uint64_t script_valid(std::size_t rest) noexcept {
    return rest >= script_block ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
}

using text_counts = std::array<std::uint64_t, text_features>;

/// The reference: every block a byte at a time.
template <class Sink>
constexpr text_counts scan_scripts_scalar(std::string_view text, Sink& sink) noexcept {
    script_scan<Sink> scan{.sink = sink};
    for (std::size_t at = 0; at < text.size(); at += script_block) {
        auto const rest = text.size() - at < script_block ? text.size() - at : script_block;
        scan.absorb(scalar_script_masks(text.data() + at, rest, at == 0 ? '\0' : text[at - 1]), script_valid(rest),
                    text, at);
    }
    return scan.counts;
}

#if CONDENSE_DETAIL_SCRIPT_X86

// The first block and the last go through a copy, for neither the byte before nor those behind may be read. One call
// of absorb for both, since each is a copy of it.
#define CONDENSE_DETAIL_SCRIPT_SCAN(unit, features)                                                                   \
    template <class Sink>                                                                                             \
    [[gnu::target(features)]] text_counts scan_scripts_##unit(std::string_view text, Sink& sink) noexcept {           \
        script_scan<Sink> scan{.sink = sink};                                                                         \
        char copy[1 + script_block];                                                                                  \
        for (std::size_t at = 0; at < text.size(); at += script_block) {                                              \
            auto const rest = text.size() - at;                                                                       \
            auto from = text.data() + at;                                                                             \
            if (at == 0 || rest < script_block) {                                                                     \
                copy[0] = at == 0 ? '\0' : text[at - 1];                                                              \
                std::memset(copy + 1, 0, script_block);                                                               \
                from =                                                                                                \
                    static_cast<char const*>(std::memcpy(copy + 1, from, rest < script_block ? rest : script_block)); \
            }                                                                                                         \
            auto const valid = script_valid(rest);                                                                    \
            scan.absorb(script_masks_##unit(from).padded(valid), valid, text, at);                                    \
        }                                                                                                             \
        return scan.counts;                                                                                           \
    }

CONDENSE_DETAIL_SCRIPT_SCAN(sse2, "sse2")
CONDENSE_DETAIL_SCRIPT_SCAN(avx2, "avx2,bmi,popcnt")
CONDENSE_DETAIL_SCRIPT_SCAN(avx512, "avx512f,avx512bw,bmi,popcnt")
#undef CONDENSE_DETAIL_SCRIPT_SCAN

#endif

/// By the widest unit of this machine; the same in a constant expression.
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
