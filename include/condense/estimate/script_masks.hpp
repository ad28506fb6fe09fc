// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// The classes of 64 bytes as masks with one bit a byte: computed a byte at a time, or with SSE2, AVX2 or AVX-512 on
// x86-64. Uses vector types of the compiler, so that no header of intrinsics is needed, which would cost compile time.

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CONDENSE_DETAIL_SCRIPT_X86 1
#else
#define CONDENSE_DETAIL_SCRIPT_X86 0
#endif

namespace condense {
inline namespace v1 {
namespace detail {

/// The classes of a block of 64 bytes; bit 0 of each mask is the first byte. Classes may overlap.
struct script_masks {
    std::uint64_t upper = 0;
    std::uint64_t lower = 0;
    std::uint64_t digits = 0;
    std::uint64_t spaces = 0;
    std::uint64_t line_ends = 0;
    std::uint64_t tabs = 0;
    std::uint64_t controls = 0;  ///< 0x7F, and below 0x20 those that are in no mask above
    std::uint64_t non_ascii = 0;   ///< from 0x80 on
    std::uint64_t lead_bytes = 0;     ///< from 0xC0 on
    std::uint64_t repeats = 0;   ///< equal to the byte before
    std::uint64_t joiners = 0;  ///< + - / _, which base64 and base64url have beside letters and digits
    std::uint64_t hex_digits = 0;  ///< 0 to 9, a to f, A to F
    std::uint64_t vowels = 0;  ///< a, i, o and u, at the end of few English words
    std::uint64_t rare_letters = 0;  ///< j, k, q and z, rare in English

    /// The masks of a block whose bytes beyond `valid` are zero padding. Zero bytes are in these two masks only.
    constexpr script_masks padded(std::uint64_t valid) const noexcept {
        auto result = *this;
        result.controls &= valid, result.repeats &= valid;
        return result;
    }

    friend constexpr bool operator==(script_masks const&, script_masks const&) = default;
};

/// Bytes of a block.
inline constexpr std::size_t script_block = 64;

/// The reference implementation for `count` bytes from `text`, at most 64; `before` is the byte before them. Bits
/// beyond `count` are clear.
constexpr script_masks scalar_script_masks(char const* text, std::size_t count, char before) noexcept {
    script_masks result;
    for (std::size_t index = 0; index < count; ++index) {
        auto const bit = std::uint64_t{1} << index;
        auto const byte = static_cast<unsigned char>(text[index]);
        auto const folded = static_cast<unsigned char>(byte | 0x20u);
        if (byte >= 'A' && byte <= 'Z') result.upper |= bit;
        if (byte >= 'a' && byte <= 'z') result.lower |= bit;
        if (byte >= '0' && byte <= '9') result.digits |= bit;
        if (byte == ' ') result.spaces |= bit;
        if (byte == '\n' || byte == '\r') result.line_ends |= bit;
        if (byte == '\t') result.tabs |= bit;
        if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F) result.controls |= bit;
        if (byte >= 0x80) result.non_ascii |= bit;
        if (byte >= 0xC0) result.lead_bytes |= bit;
        if (text[index] == before) result.repeats |= bit;
        if (byte == '+' || byte == '-' || byte == '/' || byte == '_') result.joiners |= bit;
        if ((byte >= '0' && byte <= '9') || (folded >= 'a' && folded <= 'f')) result.hex_digits |= bit;
        if (byte == 'a' || byte == 'i' || byte == 'o' || byte == 'u') result.vowels |= bit;
        if (byte == 'j' || byte == 'k' || byte == 'q' || byte == 'z') result.rare_letters |= bit;
        before = text[index];
    }
    return result;
}

#if CONDENSE_DETAIL_SCRIPT_X86

// A macro, because the compiler inlines a function only where the same instructions are allowed: operations passed as
// template arguments would stay calls. Comparisons are signed, so that bytes from 0x80
// on are negative.
#define CONDENSE_DETAIL_SCRIPT_UNIT(unit, width, gather, features)                                                     \
    using script_bytes_##unit = signed char __attribute__((vector_size(width)));                                       \
    using script_chars_##unit = char __attribute__((vector_size(width)));                                              \
    template <class = void>                                                                                            \
    [[gnu::target(features), gnu::always_inline]] inline std::uint64_t script_gather_##unit(                           \
        script_bytes_##unit mask) noexcept {                                                                           \
        return std::uint64_t{static_cast<std::uint32_t>(gather(reinterpret_cast<script_chars_##unit>(mask)))};         \
    }                                                                                                                  \
    /* The masks of 64 bytes from `text`; the byte before must be readable. */                                         \
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
            out.non_ascii |= script_gather_##unit<>(bytes) << at;                                                      \
            out.lead_bytes |= script_gather_##unit<>((bytes > -65) & bytes) << at;                                     \
            out.repeats |= script_gather_##unit<>(bytes == before) << at;                                              \
            out.joiners |= script_gather_##unit<>(((bytes | 4) == 0x2F) | (bytes == 0x2D) | (bytes == 0x5F)) << at;    \
            out.hex_digits |= script_gather_##unit<>(digit | ((folded > 0x60) & (folded < 0x67))) << at;               \
            out.vowels |= script_gather_##unit<>((bytes == 'a') | (bytes == 'i') | (bytes == 'o') | (bytes == 'u'))    \
                          << at;                                                                                       \
            out.rare_letters |=                                                                                        \
                script_gather_##unit<>((bytes == 'j') | (bytes == 'k') | (bytes == 'q') | (bytes == 'z')) << at;       \
        }                                                                                                              \
        return out;                                                                                                    \
    }                                                                                                                  \
    /* The same for callers without the target attribute, which cannot inline it. */                                   \
    template <class = void>                                                                                            \
    [[gnu::target(features)]] inline script_masks script_masks_by_##unit(char const* text) noexcept {                  \
        return script_masks_##unit<>(text);                                                                            \
    }

CONDENSE_DETAIL_SCRIPT_UNIT(sse2, 16, __builtin_ia32_pmovmskb128, "sse2")
CONDENSE_DETAIL_SCRIPT_UNIT(avx2, 32, __builtin_ia32_pmovmskb256, "avx2,bmi,popcnt")
#undef CONDENSE_DETAIL_SCRIPT_UNIT

using script_bytes_avx512 = unsigned char __attribute__((vector_size(64)));  // unsigned, so that differences wrap
using script_chars_avx512 = char __attribute__((vector_size(64)));

// Comparisons of AVX-512 return masks at once: `order` is 0 for equal and 1 for less, of unsigned bytes.
#define CONDENSE_DETAIL_SCRIPT_COMPARED(bytes, order, with)                                                     \
    static_cast<std::uint64_t>(__builtin_ia32_ucmpb512_mask(                                                    \
        reinterpret_cast<script_chars_avx512>(bytes),                                                           \
        reinterpret_cast<script_chars_avx512>(script_bytes_avx512{} + static_cast<unsigned char>(with)), order, \
        ~0ull))
#define CONDENSE_DETAIL_SCRIPT_EQUAL(byte) CONDENSE_DETAIL_SCRIPT_COMPARED(bytes, 0, byte)

/// As script_masks_sse2, by AVX-512.
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
    out.non_ascii = ~CONDENSE_DETAIL_SCRIPT_COMPARED(bytes, 1, 0x80);
    out.lead_bytes = ~CONDENSE_DETAIL_SCRIPT_COMPARED(bytes, 1, 0xC0);
    out.repeats = static_cast<std::uint64_t>(__builtin_ia32_ucmpb512_mask(
        reinterpret_cast<script_chars_avx512>(bytes), reinterpret_cast<script_chars_avx512>(before), 0, ~0ull));
    out.joiners = CONDENSE_DETAIL_SCRIPT_COMPARED(bytes | 4, 0, '/') | CONDENSE_DETAIL_SCRIPT_EQUAL('-') |
                  CONDENSE_DETAIL_SCRIPT_EQUAL('_');
    out.hex_digits = out.digits | CONDENSE_DETAIL_SCRIPT_COMPARED((bytes | 0x20) - 'a', 1, 6);
    out.vowels = CONDENSE_DETAIL_SCRIPT_EQUAL('a') | CONDENSE_DETAIL_SCRIPT_EQUAL('i') |
                 CONDENSE_DETAIL_SCRIPT_EQUAL('o') | CONDENSE_DETAIL_SCRIPT_EQUAL('u');
    out.rare_letters = CONDENSE_DETAIL_SCRIPT_EQUAL('j') | CONDENSE_DETAIL_SCRIPT_EQUAL('k') |
                       CONDENSE_DETAIL_SCRIPT_EQUAL('q') | CONDENSE_DETAIL_SCRIPT_EQUAL('z');
    return out;
}
/// The same for callers without the target attribute, which cannot inline it.
template <class = void>
[[gnu::target("avx512f,avx512bw,bmi,popcnt")]] inline script_masks script_masks_by_avx512(char const* text) noexcept {
    return script_masks_avx512<>(text);
}
#undef CONDENSE_DETAIL_SCRIPT_EQUAL
#undef CONDENSE_DETAIL_SCRIPT_COMPARED

/// Whether this machine has what the functions of the unit use. The look-up of the compiler's runtime is cheap.
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
