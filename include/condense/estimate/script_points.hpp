// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <condense/estimate/script_class.hpp>
#include <condense/estimate/script_masks.hpp>

// Counts code points beyond ASCII and the runs of their writing systems, a block of 64 bytes at a time: by a look-up
// for each, or by AVX2 for Cyrillic, Chinese, Japanese and Korean, of which a block has so many that look-ups would
// take several times as long as all that is asked of ASCII.

namespace condense {
inline namespace v1 {
namespace detail {

/// What the next block has to know of the code points before it.
struct script_run {
    std::size_t end = 0;  ///< where the last one beyond ASCII ended
    script_class head = script_class::stray;  ///< its script_head
    std::uint64_t tail_ahead = 0;  ///< bytes of the next block that belong to a code point begun in this one
    std::uint64_t latin_ahead = 0;  ///< the same of a Latin letter
};

/// Passes the code points beyond ASCII of the block at `position` to the sink: their class, their number, and how many
/// of them begin a run of their writing system. Returns the bytes of Latin letters. `first_bytes` are from 0xC0 on,
/// `tails` from 0x80 to 0xBF. Lead bytes without a valid second byte, and tails that no lead byte announced, are stray.
template <class Tables, class Sink>
constexpr std::uint64_t add_points(std::uint64_t first_bytes, std::uint64_t tails, std::string_view text,
                                   std::size_t position, script_run& run, Sink& sink) noexcept {
    auto latin = run.latin_ahead;
    auto claimed = run.tail_ahead;
    run.latin_ahead = run.tail_ahead = 0;
    for (auto remaining = first_bytes; remaining != 0; remaining &= remaining - 1) {
        auto const bit = static_cast<unsigned>(std::countr_zero(remaining));
        auto const begin = position + bit;
        // A character that is cut off at the end is not counted: as stray it could cost more than when completed.
        if (begin + 1 >= text.size()) break;
        auto const lead = static_cast<unsigned char>(text[begin]);
        auto const which = script_of<Tables>(lead, static_cast<unsigned char>(text[begin + 1]));
        auto const length = which == script_class::stray ? 1u : script_length(lead);
        auto const bytes = (std::uint64_t{1} << length) - 1;
        claimed |= bytes << bit;
        if (bit + length > 64) run.tail_ahead = bytes >> (64 - bit);
        if (is_latin(which)) {
            latin |= bytes << bit;
            if (bit + length > 64) run.latin_ahead = bytes >> (64 - bit);
        }
        auto const head = Tables::heads[static_cast<std::size_t>(which)];
        sink(which, 1u, run.end != begin || head != run.head ? 1u : 0u);
        run.head = head;
        run.end = begin + length;
    }
    if (auto const strays = tails & ~claimed; strays != 0)
        sink(script_class::stray, static_cast<unsigned>(std::popcount(strays)), 0u);
    return latin & (first_bytes | tails);
}

#if CONDENSE_DETAIL_SCRIPT_X86

/// The 16 bytes of a look-up by one lead byte or two, twice, since each half of a vector looks up in its own half: bit
/// b of byte a of a lead byte is set if a second byte of 0x80 + 8 * a + b makes full_han.
template <class Tables>
constexpr std::array<signed char, 32> full_han_bits(unsigned first, unsigned last) noexcept {
    std::array<signed char, 32> out{};
    for (unsigned at = 0; at < 32; ++at) {
        auto const lead = first + at % 16 / 8;
        unsigned bits = 0;
        for (unsigned next = 0; lead <= last && next < 8; ++next)
            if (Tables::of_three[(lead & 15u) << 6 | at % 8 * 8 | next] == script_class::full_han) bits |= 1u << next;
        out[at] = static_cast<signed char>(bits < 128 ? static_cast<int>(bits) : static_cast<int>(bits) - 256);
    }
    return out;
}
template <class Tables>
struct full_han_tables {
    static constexpr auto of_two_leads = full_han_bits<Tables>(0xE7, 0xE8);
    static constexpr auto of_last_lead = full_han_bits<Tables>(0xE9, 0xE9);
};

using script_pairs_avx2 = short __attribute__((vector_size(32)));  // bytes have no shift of their own

// Tests of 32 bytes by those behind them. Bytes are signed, so that 0x80 is -128, and the order of those from there on
// is kept.
#define CONDENSE_DETAIL_SCRIPT_TEST \
    template <class = void>         \
    [[gnu::target("avx2,bmi,popcnt"), gnu::always_inline]] inline

/// The byte of each half of `table` at each of the places, from 0 to 15.
CONDENSE_DETAIL_SCRIPT_TEST script_bytes_avx2 script_bytes_at(script_bytes_avx2 table,
                                                              script_bytes_avx2 places) noexcept {
    return reinterpret_cast<script_bytes_avx2>(__builtin_ia32_pshufb256(reinterpret_cast<script_chars_avx2>(table),
                                                                        reinterpret_cast<script_chars_avx2>(places)));
}
/// Leads 0xD0 to 0xD3, of Cyrillic.
CONDENSE_DETAIL_SCRIPT_TEST script_bytes_avx2 begins_cyrillic(script_bytes_avx2 bytes,
                                                              script_bytes_avx2 next) noexcept {
    return ((bytes & -4) == -48) & (next < -64);
}
/// U+0410 to U+044F.
CONDENSE_DETAIL_SCRIPT_TEST script_bytes_avx2 begins_main_cyrillic(script_bytes_avx2 bytes,
                                                                   script_bytes_avx2 next) noexcept {
    return ((bytes == -48) & (next > -113) & (next < -64)) | ((bytes == -47) & (next < -112));
}
/// From U+3400 to U+4DFF.
CONDENSE_DETAIL_SCRIPT_TEST script_bytes_avx2 begins_rare_han(script_bytes_avx2 bytes,
                                                              script_bytes_avx2 next) noexcept {
    return ((bytes == -29) & (next > -113) & (next < -64)) | ((bytes == -28) & (next < -72));
}
/// han or full_han.
CONDENSE_DETAIL_SCRIPT_TEST script_bytes_avx2 begins_han(script_bytes_avx2 bytes, script_bytes_avx2 next) noexcept {
    return ((bytes > -28) & (bytes < -22) & (next < -64)) | ((bytes == -28) & (next > -73) & (next < -64));
}
/// full_han, where begins_han holds.
template <class Tables>
[[gnu::target("avx2,bmi,popcnt"), gnu::always_inline]] inline script_bytes_avx2 begins_full_han(
    script_bytes_avx2 bytes, script_bytes_avx2 next) noexcept {
    constexpr script_bytes_avx2 bit{1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128,
                                    1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128};
    script_bytes_avx2 two_leads, last_lead;
    std::memcpy(&two_leads, full_han_tables<Tables>::of_two_leads.data(), sizeof two_leads);
    std::memcpy(&last_lead, full_han_tables<Tables>::of_last_lead.data(), sizeof last_lead);
    auto const eighth = reinterpret_cast<script_bytes_avx2>(reinterpret_cast<script_pairs_avx2>(next) >> 3) & 7;
    auto const row = ((bytes == -23) & script_bytes_at<>(last_lead, eighth)) |
                     (((bytes == -25) | (bytes == -24)) & script_bytes_at<>(two_leads, eighth | ((bytes == -24) & 8)));
    return (row & script_bytes_at<>(bit, next & 7)) != 0;
}
/// U+3000 to U+303F, U+3200 to U+33FF and from U+FF00 on.
CONDENSE_DETAIL_SCRIPT_TEST script_bytes_avx2 begins_cjk_sign(script_bytes_avx2 bytes,
                                                              script_bytes_avx2 next) noexcept {
    return ((bytes == -29) & ((next == -128) | ((next & -8) == -120))) | ((bytes == -17) & (next > -69) & (next < -64));
}
/// U+AC00 to U+D7BF.
CONDENSE_DETAIL_SCRIPT_TEST script_bytes_avx2 begins_hangul(script_bytes_avx2 bytes, script_bytes_avx2 next) noexcept {
    return (((bytes == -22) & (next > -81)) | ((bytes > -22) & (bytes < -19)) | ((bytes == -19) & (next < -97))) &
           (next < -64);
}
/// Of 64 code points from U+3000 on, the block of this second byte.
CONDENSE_DETAIL_SCRIPT_TEST script_bytes_avx2 begins_kana(script_bytes_avx2 bytes, script_bytes_avx2 next,
                                                          signed char block) noexcept {
    return (bytes == -29) & (next == block);
}
/// U+2000 to U+207F.
CONDENSE_DETAIL_SCRIPT_TEST script_bytes_avx2 begins_quote(script_bytes_avx2 bytes, script_bytes_avx2 next) noexcept {
    return (bytes == -30) & ((next & -2) == -128);
}
CONDENSE_DETAIL_SCRIPT_TEST std::uint64_t script_gather_both(script_bytes_avx2 first,
                                                             script_bytes_avx2 second) noexcept {
    return script_gather_avx2<>(first) | script_gather_avx2<>(second) << 32;
}
#undef CONDENSE_DETAIL_SCRIPT_TEST

/// As add_points, at its speed for most text and several times faster where all code points of a block are Cyrillic,
/// Chinese, Japanese or Korean.
template <class Tables, class Sink>
[[gnu::target("avx2,bmi,popcnt")]] std::uint64_t add_points_avx2(std::uint64_t first_bytes, std::uint64_t tails,
                                                                 std::string_view text, std::size_t position,
                                                                 script_run& run, Sink& sink) noexcept {
    auto const by_look_up = [&] { return add_points<Tables>(first_bytes, tails, text, position, run, sink); };
    // The byte behind the block is read. Most text that is not of these scripts has leads below 0xD0.
    if (first_bytes == 0 || text.size() - position <= script_block ||
        static_cast<unsigned char>(text[position + static_cast<unsigned>(std::countr_zero(first_bytes))]) < 0xD0)
        return by_look_up();
    script_bytes_avx2 a, b, behind_a, behind_b;
    std::memcpy(&a, text.data() + position, 32);
    std::memcpy(&b, text.data() + position + 32, 32);
    std::memcpy(&behind_a, text.data() + position + 1, 32);
    std::memcpy(&behind_b, text.data() + position + 33, 32);

    auto const cyrillic = script_gather_both<>(begins_cyrillic<>(a, behind_a), begins_cyrillic<>(b, behind_b));
    auto const triples = first_bytes & ~cyrillic;
    if (tails != (run.tail_ahead | first_bytes << 1 | triples << 2)) return by_look_up();
    std::uint64_t chinese = 0, full_han = 0, rare_han = 0, signs = 0, hangul = 0, hiragana = 0, kana = 0, katakana = 0;
    std::uint64_t quotes = 0;
    if (triples != 0) {
        auto const han_a = begins_han<>(a, behind_a), han_b = begins_han<>(b, behind_b);
        chinese = script_gather_both<>(han_a, han_b);
        full_han = script_gather_both<>(han_a & begins_full_han<Tables>(a, behind_a),
                                        han_b & begins_full_han<Tables>(b, behind_b));
        signs = script_gather_both<>(begins_cjk_sign<>(a, behind_a), begins_cjk_sign<>(b, behind_b));
        auto const others = triples & ~chinese & ~signs;
        if (others != 0) hangul = script_gather_both<>(begins_hangul<>(a, behind_a), begins_hangul<>(b, behind_b));
        if (others != hangul) {
            rare_han = script_gather_both<>(begins_rare_han<>(a, behind_a), begins_rare_han<>(b, behind_b));
            hiragana = script_gather_both<>(begins_kana<>(a, behind_a, -127), begins_kana<>(b, behind_b, -127));
            kana = script_gather_both<>(begins_kana<>(a, behind_a, -126), begins_kana<>(b, behind_b, -126));
            katakana = script_gather_both<>(begins_kana<>(a, behind_a, -125), begins_kana<>(b, behind_b, -125));
            quotes = script_gather_both<>(begins_quote<>(a, behind_a), begins_quote<>(b, behind_b));
            if (others != (hangul | rare_han | hiragana | kana | katakana | quotes)) return by_look_up();
        }
    }

    // Neighbours of one writing system are one run, also over the border of blocks.
    auto const before = run.end >= position ? std::uint64_t{1} << (run.end - position) : 0;
    auto const before_head = run.head;
    auto const final_bit = 63 - static_cast<unsigned>(std::countl_zero(first_bytes));
    auto const begins_of = [&](script_class head, std::uint64_t points, unsigned length) {
        if ((points >> final_bit & 1) != 0) run.head = head;
        return points & ~(points << length | (before_head == head ? before : 0));
    };
    auto const add = [&](script_class which, std::uint64_t points, std::uint64_t begins) {
        sink(which, static_cast<unsigned>(std::popcount(points)),
             static_cast<unsigned>(std::popcount(points & begins)));
    };
    // Without a branch for what texts of a script have here and there.
    if (cyrillic != 0) {
        auto const main =
            script_gather_both<>(begins_main_cyrillic<>(a, behind_a), begins_main_cyrillic<>(b, behind_b));
        auto const begins = begins_of(script_class::cyrillic, cyrillic, 2);
        add(script_class::cyrillic, main, begins);
        add(script_class::cyrillic_more, cyrillic & ~main, begins);
    }
    if (triples != 0) {
        auto const begins = begins_of(script_class::han, chinese | rare_han, 3);
        add(script_class::han, chinese & ~full_han, begins);
        add(script_class::full_han, full_han, begins);
        add(script_class::cjk_signs, signs, begins_of(script_class::cjk_signs, signs, 3));
        if (hangul != 0) add(script_class::hangul, hangul, begins_of(script_class::hangul, hangul, 3));
        if (auto const japanese = hiragana | kana | katakana; japanese != 0) {
            auto const starts = begins_of(script_class::hiragana, japanese, 3);
            add(script_class::hiragana, hiragana, starts);
            add(script_class::kana, kana, starts);
            add(script_class::katakana, katakana, starts);
        }
        if ((rare_han | quotes) != 0) {
            add(script_class::rare_han, rare_han, begins);
            add(script_class::quotes, quotes, begins_of(script_class::quotes, quotes, 3));
        }
    }
    auto const length = (cyrillic >> final_bit & 1) != 0 ? 2u : 3u;
    run.end = position + final_bit + length;
    run.tail_ahead = final_bit + length > 64 ? (std::uint64_t{1} << (final_bit + length - 64)) - 1 : 0;
    return std::exchange(run.latin_ahead, 0) & (first_bytes | tails);
}

#endif

}  // namespace detail
}  // namespace v1
}  // namespace condense
