// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define CONDENSE_DETAIL_BPE_X86 1
#else
#define CONDENSE_DETAIL_BPE_X86 0
#endif
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__) && (defined(__GNUC__) || defined(__clang__))
#include <arm_neon.h>
#define CONDENSE_DETAIL_BPE_NEON 1
#else
#define CONDENSE_DETAIL_BPE_NEON 0
#endif

#include <condense/estimate/bpe/window.hpp>

// Computes the masks of a window with vector instructions: SSE2, AVX2 or AVX-512 on x86-64, chosen at run time, and
// NEON on little-endian AArch64. Elsewhere, and with vector_unit::scalar, text is split one code point at a time.

namespace condense {
inline namespace v1 {

/// What splits ASCII into pieces. All give the same pieces.
enum class vector_unit : std::uint8_t { scalar, sse2, avx2, avx512, neon };

namespace detail::bpe {

/// All units, the widest first.
inline constexpr vector_unit vector_units[] = {vector_unit::avx512, vector_unit::avx2, vector_unit::sse2,
                                               vector_unit::neon, vector_unit::scalar};

/// Bytes that must be readable from the begin of a window: its own, and 16 more, since the look-up of a piece reads 16
/// bytes from its begin.
inline constexpr std::size_t window_reach = 64 + 16;

/// Writes the ends of the pieces from `position` on to `ends` and returns how many, at most `room`, as far as complete
/// windows tell. A piece must begin at `position`; `room` is at least 64, since a window may have as many ends.
using cut_function = std::size_t (*)(char const* text, std::size_t size, std::size_t position, std::size_t* ends,
                                     std::size_t room);

// The functions of a unit, whose block has a window in registers. A macro, because the compiler inlines a function only
// where the same instructions are allowed: members of a block passed as a template argument would stay calls.
#define CONDENSE_DETAIL_BPE_UNIT(unit, block, attribute)                                              \
    [[attribute]] inline window_masks masks_by_##unit(char const* text) noexcept {                    \
        block const in{text};                                                                         \
        return {.letters = in.within('A', 26, 0x20),                                                  \
                .capitals = in.within('A', 26),                                                       \
                .digits = in.within('0', 10),                                                         \
                .spaces = in.within('\t', 5) | in.equal(' '),                                         \
                .line_ends = in.equal('\n') | in.equal('\r'),                                         \
                .blanks = in.equal(' '),                                                              \
                .quotes = in.equal('\''),                                                             \
                .slashes = in.equal('/'),                                                             \
                .non_ascii = in.non_ascii()};                                                         \
    }                                                                                                 \
    template <split_rules Rules>                                                                      \
    [[attribute]] std::size_t cut_by_##unit(char const* text, std::size_t size, std::size_t position, \
                                            std::size_t* ends, std::size_t room) noexcept {           \
        std::size_t count = 0;                                                                        \
        while (size - position >= window_reach && room - count >= 64) {                               \
            auto remaining = cuts<Rules>(masks_by_##unit(text + position), text + position);          \
            if (remaining == 0) break;                                                                \
            auto const from = position;                                                               \
            for (; remaining != 0; remaining &= remaining - 1) {                                      \
                position = from + static_cast<std::size_t>(std::countr_zero(remaining));              \
                ends[count++] = position;                                                             \
            }                                                                                         \
        }                                                                                             \
        return count;                                                                                 \
    }

#if CONDENSE_DETAIL_BPE_X86

/// A window in registers. equal, within and non_ascii return a bit for each byte; the other units have the same
/// members.
struct sse2_block {
    __m128i bytes[4];

    [[gnu::always_inline]] explicit sse2_block(char const* from) noexcept {
        for (int each = 0; each < 4; ++each)
            bytes[each] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(from) + each);
    }
    /// A bit for each byte whose highest bit is set in the result of `test`.
    template <class Test>
    [[gnu::always_inline]] std::uint64_t gather(Test test) const noexcept {
        std::uint64_t out = 0;
        for (int each = 0; each < 4; ++each)
            out |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(test(bytes[each])))} << (16 * each);
        return out;
    }
    /// Bytes equal to `byte`.
    [[gnu::always_inline]] std::uint64_t equal(char byte) const noexcept {
        return gather([=](__m128i each) { return _mm_cmpeq_epi8(each, _mm_set1_epi8(byte)); });
    }
    /// Bytes from `first` to `first + count - 1`, after the bits of `clear` are cleared in each. Shifts the range to
    /// the lowest signed numbers, because SSE2 and AVX2 compare signed bytes only.
    [[gnu::always_inline]] std::uint64_t within(int first, int count, int clear = 0) const noexcept {
        auto const shift = _mm_set1_epi8(static_cast<char>(-128 - first));
        auto const limit = _mm_set1_epi8(static_cast<char>(-128 + count));
        auto const keep = _mm_set1_epi8(static_cast<char>(~clear));
        return gather(
            [=](__m128i each) { return _mm_cmplt_epi8(_mm_add_epi8(_mm_and_si128(each, keep), shift), limit); });
    }
    /// Bytes from 0x80 on, whose highest bit is set.
    [[gnu::always_inline]] std::uint64_t non_ascii() const noexcept {
        return gather([](__m128i each) { return each; });
    }
};

/// As sse2_block, in two registers.
struct avx2_block {
    __m256i low, high;

    [[gnu::always_inline, gnu::target("avx2")]] explicit avx2_block(char const* from) noexcept
        : low{_mm256_loadu_si256(reinterpret_cast<__m256i const*>(from))},
          high{_mm256_loadu_si256(reinterpret_cast<__m256i const*>(from) + 1)} {}
    [[gnu::always_inline, gnu::target("avx2")]] static std::uint64_t joined(__m256i first, __m256i second) noexcept {
        return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(first))} |
               std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(second))} << 32;
    }
    [[gnu::always_inline, gnu::target("avx2")]] std::uint64_t equal(char byte) const noexcept {
        auto const wanted = _mm256_set1_epi8(byte);
        return joined(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
    }
    [[gnu::always_inline, gnu::target("avx2")]] std::uint64_t within(int first, int count,
                                                                     int clear = 0) const noexcept {
        auto const shift = _mm256_set1_epi8(static_cast<char>(-128 - first));
        auto const limit = _mm256_set1_epi8(static_cast<char>(-128 + count));
        auto const keep = _mm256_set1_epi8(static_cast<char>(~clear));
        return joined(_mm256_cmpgt_epi8(limit, _mm256_add_epi8(_mm256_and_si256(low, keep), shift)),
                      _mm256_cmpgt_epi8(limit, _mm256_add_epi8(_mm256_and_si256(high, keep), shift)));
    }
    [[gnu::always_inline, gnu::target("avx2")]] std::uint64_t non_ascii() const noexcept { return joined(low, high); }
};

/// As sse2_block, in one register; comparisons are unsigned and give masks at once.
struct avx512_block {
    __m512i bytes;

    [[gnu::always_inline, gnu::target("avx512f,avx512bw")]] explicit avx512_block(char const* from) noexcept
        : bytes{_mm512_loadu_si512(from)} {}
    [[gnu::always_inline, gnu::target("avx512f,avx512bw")]] std::uint64_t equal(char byte) const noexcept {
        return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte));
    }
    [[gnu::always_inline, gnu::target("avx512f,avx512bw")]] std::uint64_t within(int first, int count,
                                                                                 int clear = 0) const noexcept {
        auto const masked = _mm512_and_si512(bytes, _mm512_set1_epi8(static_cast<char>(~clear)));
        return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(masked, _mm512_set1_epi8(static_cast<char>(first))),
                                      _mm512_set1_epi8(static_cast<char>(count)));
    }
    [[gnu::always_inline, gnu::target("avx512f,avx512bw")]] std::uint64_t non_ascii() const noexcept {
        return _mm512_movepi8_mask(bytes);
    }
};

CONDENSE_DETAIL_BPE_UNIT(sse2, sse2_block, gnu::target("sse2"))
CONDENSE_DETAIL_BPE_UNIT(avx2, avx2_block, gnu::target("avx2,bmi"))
CONDENSE_DETAIL_BPE_UNIT(avx512, avx512_block, gnu::target("avx512f,avx512bw,bmi"))

/// True if this machine has the instructions of a unit.
inline bool has(vector_unit unit) noexcept {
    switch (unit) {
        case vector_unit::scalar:
        case vector_unit::sse2: return true;
        case vector_unit::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
        case vector_unit::avx512: return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi");
        case vector_unit::neon: return false;
    }
    return false;
}

/// The function for a unit; null for scalar, and for rules by script, which have no windows.
template <split_rules Rules>
cut_function cutter(vector_unit unit) noexcept {
    if constexpr (Rules.by_script) return nullptr;
    else switch (unit) {
            case vector_unit::sse2: return cut_by_sse2<Rules>;
            case vector_unit::avx2: return cut_by_avx2<Rules>;
            case vector_unit::avx512: return cut_by_avx512<Rules>;
            default: return nullptr;
        }
}

#elif CONDENSE_DETAIL_BPE_NEON

/// A window in registers. equal, within and non_ascii return a bit for each byte.
struct neon_block {
    uint8x16_t bytes[4];

    explicit neon_block(char const* from) noexcept {
        for (int each = 0; each < 4; ++each)
            bytes[each] = vld1q_u8(reinterpret_cast<unsigned char const*>(from) + 16 * each);
    }
    /// A bit for each byte for which `test` gives all ones. Each byte keeps the bit of its place among eight; three
    /// sums of neighbours then join eight bytes to one.
    template <class Test>
    std::uint64_t gather(Test test) const noexcept {
        auto const places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040'2010'0804'0201u));
        auto const found = [&](int each) { return vandq_u8(test(bytes[each]), places); };
        auto const joined = vpaddq_u8(vpaddq_u8(found(0), found(1)), vpaddq_u8(found(2), found(3)));
        return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(joined, joined)), 0);
    }
    /// Bytes equal to `byte`.
    std::uint64_t equal(char byte) const noexcept {
        auto const wanted = vdupq_n_u8(static_cast<unsigned char>(byte));
        return gather([=](uint8x16_t each) { return vceqq_u8(each, wanted); });
    }
    /// Bytes from `first` to `first + count - 1`, after the bits of `clear` are cleared in each.
    std::uint64_t within(int first, int count, int clear = 0) const noexcept {
        auto const of = [](int value) { return vdupq_n_u8(static_cast<unsigned char>(value)); };
        auto const keep = of(~clear & 0xFF), least = of(first), size = of(count);
        return gather([=](uint8x16_t each) { return vcltq_u8(vsubq_u8(vandq_u8(each, keep), least), size); });
    }
    /// Bytes from 0x80 on.
    std::uint64_t non_ascii() const noexcept {
        return gather([](uint8x16_t each) { return vcgeq_u8(each, vdupq_n_u8(0x80)); });
    }
};

CONDENSE_DETAIL_BPE_UNIT(neon, neon_block, gnu::hot)

/// True if this machine has the instructions of a unit.
inline bool has(vector_unit unit) noexcept { return unit == vector_unit::scalar || unit == vector_unit::neon; }

/// The function for a unit; null for scalar, and for rules by script, which have no windows.
template <split_rules Rules>
cut_function cutter(vector_unit unit) noexcept {
    if constexpr (Rules.by_script) return nullptr;
    else return unit == vector_unit::neon ? cut_by_neon<Rules> : nullptr;
}

#else

/// There are no vector units here.
inline bool has(vector_unit unit) noexcept { return unit == vector_unit::scalar; }

template <split_rules>
cut_function cutter(vector_unit) noexcept {
    return nullptr;
}

#endif
#undef CONDENSE_DETAIL_BPE_UNIT

}  // namespace detail::bpe

/// The widest unit that this machine has.
inline vector_unit best_vector_unit() noexcept {
    for (auto const unit : detail::bpe::vector_units)
        if (detail::bpe::has(unit)) return unit;
    return vector_unit::scalar;
}

}  // namespace v1
}  // namespace condense
