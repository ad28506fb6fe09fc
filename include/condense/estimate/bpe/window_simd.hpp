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

#include <condense/estimate/bpe/window.hpp>

// The masks of a window by vector instructions, chosen when the program runs: SSE2, AVX2 or AVX-512 on
// x86-64. Elsewhere, and on request, one code point at a time.

namespace condense {
inline namespace v1 {

/// What cuts ASCII into pieces. All give the same pieces.
enum class vector_unit : std::uint8_t { scalar, sse2, avx2, avx512 };

namespace detail::bpe {

/// Bytes that must follow a window: a look-up reads 16 bytes from the begin of each piece.
inline constexpr std::size_t window_reach = 64 + 16;

/// Writes the ends of pieces from `at` on, at most `room` of them, as far as whole windows tell; how many.
/// At `at` a piece begins. `room` is at least 64.
using cut_function = std::size_t (*)(char const* text, std::size_t size, std::size_t at, std::size_t* ends,
                                     std::size_t room);

#if CONDENSE_DETAIL_BPE_X86

struct sse2_block {
    __m128i bytes[4];

    [[gnu::always_inline]] explicit sse2_block(char const* from) noexcept {
        for (int each = 0; each < 4; ++each)
            bytes[each] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(from) + each);
    }
    template <class Test>
    [[gnu::always_inline]] std::uint64_t gather(Test test) const noexcept {
        std::uint64_t out = 0;
        for (int each = 0; each < 4; ++each)
            out |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(test(bytes[each])))} << (16 * each);
        return out;
    }
    [[gnu::always_inline]] std::uint64_t equal(char byte) const noexcept {
        return gather([=](__m128i each) { return _mm_cmpeq_epi8(each, _mm_set1_epi8(byte)); });
    }
    /// Bytes from `first` on, `count` of them, after `clear` is cleared in each.
    [[gnu::always_inline]] std::uint64_t within(int first, int count, int clear = 0) const noexcept {
        auto const shift = _mm_set1_epi8(static_cast<char>(-128 - first));
        auto const limit = _mm_set1_epi8(static_cast<char>(-128 + count));
        auto const keep = _mm_set1_epi8(static_cast<char>(~clear));
        return gather(
            [=](__m128i each) { return _mm_cmplt_epi8(_mm_add_epi8(_mm_and_si128(each, keep), shift), limit); });
    }
    [[gnu::always_inline]] std::uint64_t foreign() const noexcept {
        return gather([](__m128i each) { return each; });
    }
};

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
    [[gnu::always_inline, gnu::target("avx2")]] std::uint64_t foreign() const noexcept { return joined(low, high); }
};

struct avx512_block {
    __m512i bytes;

    [[gnu::always_inline, gnu::target("avx512f,avx512bw")]] explicit avx512_block(char const* from) noexcept
        : bytes{_mm512_loadu_si512(from)} {}
    [[gnu::always_inline, gnu::target("avx512f,avx512bw")]] std::uint64_t equal(char byte) const noexcept {
        return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte));
    }
    [[gnu::always_inline, gnu::target("avx512f,avx512bw")]] std::uint64_t within(int first, int count,
                                                                                 int clear = 0) const noexcept {
        auto const kept = _mm512_and_si512(bytes, _mm512_set1_epi8(static_cast<char>(~clear)));
        return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(kept, _mm512_set1_epi8(static_cast<char>(first))),
                                      _mm512_set1_epi8(static_cast<char>(count)));
    }
    [[gnu::always_inline, gnu::target("avx512f,avx512bw")]] std::uint64_t foreign() const noexcept {
        return _mm512_movepi8_mask(bytes);
    }
};

// A macro, since a function for one unit can not be given its block as a template argument and still be
// inlined: the attribute of the unit must stand on each function.
#define CONDENSE_DETAIL_BPE_UNIT(unit, block, features)                                                     \
    [[gnu::target(features)]] inline window_masks masks_by_##unit(char const* text) noexcept {              \
        block const in{text};                                                                               \
        return {.letters = in.within('A', 26, 0x20),                                                        \
                .capitals = in.within('A', 26),                                                             \
                .digits = in.within('0', 10),                                                               \
                .spaces = in.within('\t', 5) | in.equal(' '),                                               \
                .line_ends = in.equal('\n') | in.equal('\r'),                                               \
                .blanks = in.equal(' '),                                                                    \
                .quotes = in.equal('\''),                                                                   \
                .slashes = in.equal('/'),                                                                   \
                .foreign = in.foreign()};                                                                   \
    }                                                                                                       \
    template <split_rules Rules>                                                                            \
    [[gnu::target(features)]] std::size_t cut_by_##unit(char const* text, std::size_t size, std::size_t at, \
                                                        std::size_t* ends, std::size_t room) noexcept {     \
        std::size_t found = 0;                                                                              \
        while (size - at >= window_reach && room - found >= 64) {                                           \
            auto left = cuts<Rules>(masks_by_##unit(text + at), text + at);                                 \
            if (left == 0) break;                                                                           \
            auto const from = at;                                                                           \
            for (; left != 0; left &= left - 1) {                                                           \
                at = from + static_cast<std::size_t>(std::countr_zero(left));                               \
                ends[found++] = at;                                                                         \
            }                                                                                               \
        }                                                                                                   \
        return found;                                                                                       \
    }

CONDENSE_DETAIL_BPE_UNIT(sse2, sse2_block, "sse2")
CONDENSE_DETAIL_BPE_UNIT(avx2, avx2_block, "avx2,bmi")
CONDENSE_DETAIL_BPE_UNIT(avx512, avx512_block, "avx512f,avx512bw,bmi")
#undef CONDENSE_DETAIL_BPE_UNIT

inline bool has(vector_unit unit) noexcept {
    switch (unit) {
        case vector_unit::scalar:
        case vector_unit::sse2: return true;
        case vector_unit::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
        case vector_unit::avx512: return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi");
    }
    return false;
}

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

#else

inline bool has(vector_unit unit) noexcept { return unit == vector_unit::scalar; }

template <split_rules>
cut_function cutter(vector_unit) noexcept {
    return nullptr;
}

#endif

}  // namespace detail::bpe

/// The widest unit of this machine.
inline vector_unit best_vector_unit() noexcept {
    for (auto const unit : {vector_unit::avx512, vector_unit::avx2, vector_unit::sse2})
        if (detail::bpe::has(unit)) return unit;
    return vector_unit::scalar;
}

}  // namespace v1
}  // namespace condense
