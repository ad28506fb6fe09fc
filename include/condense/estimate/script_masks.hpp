// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// The classes of 64 bytes as masks, one bit a byte: a byte at a time, or by SSE2, AVX2 or AVX-512 where there
// are such. Vector types of the compiler, so that no header of intrinsics is needed.

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CONDENSE_DETAIL_SCRIPT_X86 1
#else
#define CONDENSE_DETAIL_SCRIPT_X86 0
#endif

namespace condense {
inline namespace v1 {
namespace detail {

/// Which bytes of 64 are what; bit 0 is the first byte.
struct script_masks {
    std::uint64_t upper = 0;
    std::uint64_t lower = 0;
    std::uint64_t digits = 0;
    std::uint64_t spaces = 0;
    std::uint64_t line_ends = 0;
    std::uint64_t tabs = 0;
    std::uint64_t controls = 0;  ///< others below 0x20, and 0x7F
    std::uint64_t foreign = 0;   ///< from 0x80 on
    std::uint64_t leads = 0;     ///< from 0xC0 on
    std::uint64_t repeats = 0;   ///< the same byte as the one before
    std::uint64_t joiners = 0;  ///< + - / _ , which base64 and its form for addresses have beside letters and digits
    std::uint64_t figures = 0;  ///< digits of hexadecimal numbers
    std::uint64_t vowels = 0;  ///< a, i, o and u, with which few words of English end
    std::uint64_t rares = 0;  ///< j, k, q and z, which are rare in English

    /// The same where all bytes but the valid ones are zero.
    constexpr script_masks padded(std::uint64_t valid) const noexcept {
        auto out = *this;
        out.controls &= valid, out.repeats &= valid;
        return out;
    }

    friend constexpr bool operator==(script_masks const&, script_masks const&) = default;
};

inline constexpr std::size_t script_block = 64;

/// The reference: `count` bytes from `text`, at most 64; `before` is the byte before them.
constexpr script_masks scalar_script_masks(char const* text, std::size_t count, char before) noexcept {
    script_masks out;
    for (std::size_t at = 0; at < count; ++at) {
        auto const bit = std::uint64_t{1} << at;
        auto const byte = static_cast<unsigned char>(text[at]);
        auto const folded = static_cast<unsigned char>(byte | 0x20u);
        if (byte >= 'A' && byte <= 'Z') out.upper |= bit;
        if (byte >= 'a' && byte <= 'z') out.lower |= bit;
        if (byte >= '0' && byte <= '9') out.digits |= bit;
        if (byte == ' ') out.spaces |= bit;
        if (byte == '\n' || byte == '\r') out.line_ends |= bit;
        if (byte == '\t') out.tabs |= bit;
        if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F) out.controls |= bit;
        if (byte >= 0x80) out.foreign |= bit;
        if (byte >= 0xC0) out.leads |= bit;
        if (text[at] == before) out.repeats |= bit;
        if (byte == '+' || byte == '-' || byte == '/' || byte == '_') out.joiners |= bit;
        if ((byte >= '0' && byte <= '9') || (folded >= 'a' && folded <= 'f')) out.figures |= bit;
        if (byte == 'a' || byte == 'i' || byte == 'o' || byte == 'u') out.vowels |= bit;
        if (byte == 'j' || byte == 'k' || byte == 'q' || byte == 'z') out.rares |= bit;
        before = text[at];
    }
    return out;
}

#if CONDENSE_DETAIL_SCRIPT_X86

// A macro, since a function for one unit can not be given its operations as template arguments and still be
// inlined: the attribute of the unit must stand on each. Comparisons are signed, so that bytes from 0x80 on are
// negative.
#define CONDENSE_DETAIL_SCRIPT_UNIT(unit, width, gather, features)                                                     \
    using script_bytes_##unit = signed char __attribute__((vector_size(width)));                                       \
    using script_chars_##unit = char __attribute__((vector_size(width)));                                              \
    template <class = void>                                                                                            \
    [[gnu::target(features), gnu::always_inline]] inline std::uint64_t script_gather_##unit(                           \
        script_bytes_##unit found) noexcept {                                                                          \
        return std::uint64_t{static_cast<std::uint32_t>(gather(reinterpret_cast<script_chars_##unit>(found)))};        \
    }                                                                                                                  \
    /* 64 bytes from `text`, before which one byte can be read. */                                                     \
    template <class = void>                                                                                            \
    [[gnu::target(features), gnu::always_inline]] inline script_masks script_masks_##unit(char const* text) noexcept { \
        script_masks out;                                                                                              \
        for (unsigned at = 0; at < script_block; at += width) {                                                        \
            script_bytes_##unit bytes, before;                                                                         \
            std::memcpy(&bytes, text + at, width);                                                                     \
            std::memcpy(&before, text + at - 1, width);                                                                \
            auto const folded = bytes | 0x20;                                                                          \
            auto const digit = (bytes > 0x2F) & (bytes < 0x3A);                                                        \
            auto const line_end = (bytes == 0x0A) | (bytes == 0x0D);                                                   \
            auto const tab = bytes == 0x09;                                                                            \
            auto const control = ((bytes & -0x20) == 0) | (bytes == 0x7F);                                             \
            out.upper |= script_gather_##unit<>((bytes > 0x40) & (bytes < 0x5B)) << at;                                \
            out.lower |= script_gather_##unit<>((bytes > 0x60) & (bytes < 0x7B)) << at;                                \
            out.digits |= script_gather_##unit<>(digit) << at;                                                         \
            out.spaces |= script_gather_##unit<>(bytes == 0x20) << at;                                                 \
            out.line_ends |= script_gather_##unit<>(line_end) << at;                                                   \
            out.tabs |= script_gather_##unit<>(tab) << at;                                                             \
            out.controls |= script_gather_##unit<>(control & ~line_end & ~tab) << at;                                  \
            out.foreign |= script_gather_##unit<>(bytes) << at;                                                        \
            out.leads |= script_gather_##unit<>((bytes > -65) & bytes) << at;                                          \
            out.repeats |= script_gather_##unit<>(bytes == before) << at;                                              \
            out.joiners |= script_gather_##unit<>(((bytes | 4) == 0x2F) | (bytes == 0x2D) | (bytes == 0x5F)) << at;    \
            out.figures |= script_gather_##unit<>(digit | ((folded > 0x60) & (folded < 0x67))) << at;                  \
            out.vowels |= script_gather_##unit<>((bytes == 'a') | (bytes == 'i') | (bytes == 'o') | (bytes == 'u'))    \
                          << at;                                                                                       \
            out.rares |= script_gather_##unit<>((bytes == 'j') | (bytes == 'k') | (bytes == 'q') | (bytes == 'z'))     \
                         << at;                                                                                        \
        }                                                                                                              \
        return out;                                                                                                    \
    }                                                                                                                  \
    /* The same for callers that are not of the unit. */                                                               \
    template <class = void>                                                                                            \
    [[gnu::target(features)]] inline script_masks script_masks_by_##unit(char const* text) noexcept {                  \
        return script_masks_##unit<>(text);                                                                            \
    }

CONDENSE_DETAIL_SCRIPT_UNIT(sse2, 16, __builtin_ia32_pmovmskb128, "sse2")
CONDENSE_DETAIL_SCRIPT_UNIT(avx2, 32, __builtin_ia32_pmovmskb256, "avx2,bmi,popcnt")
#undef CONDENSE_DETAIL_SCRIPT_UNIT

using script_bytes_avx512 = unsigned char __attribute__((vector_size(64)));  // so that differences wrap
using script_chars_avx512 = char __attribute__((vector_size(64)));

/// Comparisons of AVX-512 give masks themselves: `order` is 0 for equal and 1 for below, of unsigned bytes.
#define CONDENSE_DETAIL_SCRIPT_COMPARED(bytes, order, with)                                                     \
    static_cast<std::uint64_t>(__builtin_ia32_ucmpb512_mask(                                                    \
        reinterpret_cast<script_chars_avx512>(bytes),                                                           \
        reinterpret_cast<script_chars_avx512>(script_bytes_avx512{} + static_cast<unsigned char>(with)), order, \
        ~0ull))
#define CONDENSE_DETAIL_SCRIPT_EQUAL(byte) CONDENSE_DETAIL_SCRIPT_COMPARED(bytes, 0, byte)

template <class = void>
[[gnu::target("avx512f,avx512bw,bmi,popcnt"), gnu::always_inline]] inline script_masks script_masks_avx512(
    char const* text) noexcept {
    script_bytes_avx512 bytes, before;
    std::memcpy(&bytes, text, script_block);
    std::memcpy(&before, text - 1, script_block);
    script_masks out;
    out.upper = CONDENSE_DETAIL_SCRIPT_COMPARED(bytes - 'A', 1, 26);
    out.lower = CONDENSE_DETAIL_SCRIPT_COMPARED(bytes - 'a', 1, 26);
    out.digits = CONDENSE_DETAIL_SCRIPT_COMPARED(bytes - '0', 1, 10);
    out.spaces = CONDENSE_DETAIL_SCRIPT_EQUAL(' ');
    out.line_ends = CONDENSE_DETAIL_SCRIPT_EQUAL('\n') | CONDENSE_DETAIL_SCRIPT_EQUAL('\r');
    out.tabs = CONDENSE_DETAIL_SCRIPT_EQUAL('\t');
    out.controls = (CONDENSE_DETAIL_SCRIPT_COMPARED(bytes, 1, 0x20) | CONDENSE_DETAIL_SCRIPT_EQUAL(0x7F)) &
                   ~out.line_ends & ~out.tabs;
    out.foreign = ~CONDENSE_DETAIL_SCRIPT_COMPARED(bytes, 1, 0x80);
    out.leads = ~CONDENSE_DETAIL_SCRIPT_COMPARED(bytes, 1, 0xC0);
    out.repeats = static_cast<std::uint64_t>(__builtin_ia32_ucmpb512_mask(
        reinterpret_cast<script_chars_avx512>(bytes), reinterpret_cast<script_chars_avx512>(before), 0, ~0ull));
    out.joiners = CONDENSE_DETAIL_SCRIPT_COMPARED(bytes | 4, 0, '/') | CONDENSE_DETAIL_SCRIPT_EQUAL('-') |
                  CONDENSE_DETAIL_SCRIPT_EQUAL('_');
    out.figures = out.digits | CONDENSE_DETAIL_SCRIPT_COMPARED((bytes | 0x20) - 'a', 1, 6);
    out.vowels = CONDENSE_DETAIL_SCRIPT_EQUAL('a') | CONDENSE_DETAIL_SCRIPT_EQUAL('i') |
                 CONDENSE_DETAIL_SCRIPT_EQUAL('o') | CONDENSE_DETAIL_SCRIPT_EQUAL('u');
    out.rares = CONDENSE_DETAIL_SCRIPT_EQUAL('j') | CONDENSE_DETAIL_SCRIPT_EQUAL('k') |
                CONDENSE_DETAIL_SCRIPT_EQUAL('q') | CONDENSE_DETAIL_SCRIPT_EQUAL('z');
    return out;
}
/// The same for callers that are not of the unit.
template <class = void>
[[gnu::target("avx512f,avx512bw,bmi,popcnt")]] inline script_masks script_masks_by_avx512(char const* text) noexcept {
    return script_masks_avx512<>(text);
}
#undef CONDENSE_DETAIL_SCRIPT_EQUAL
#undef CONDENSE_DETAIL_SCRIPT_COMPARED

inline bool has_script_avx2() noexcept {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}
inline bool has_script_avx512() noexcept {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}

#endif

}  // namespace detail
}  // namespace v1
}  // namespace condense
