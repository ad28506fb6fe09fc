// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include <condense/estimate/bpe/tables.hpp>

// Merges the bytes of a piece in the order of ranks, the leftmost first among equals: up to 64 bytes by a search for
// the smallest rank, beyond by a heap. Tests compare tiling with the heap, which replaces it for vocabularies where
// tiling is not exact.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Bytes of the longest piece that short_merge takes: one bit of a mask each.
inline constexpr std::size_t short_piece = 64;

/// The smallest of `blocks` times eight values, which are aligned to 16 bytes.
inline std::int32_t least(std::int32_t const* values, std::size_t blocks) noexcept {
    if (blocks == 1) {  // without vectors: a wide load would wait for the narrow stores just before it
        auto const lower = [](std::int32_t a, std::int32_t b) { return a < b ? a : b; };
        return lower(lower(lower(values[0], values[1]), lower(values[2], values[3])),
                     lower(lower(values[4], values[5]), lower(values[6], values[7])));
    }
#if defined(__SSE2__)
    auto const load = [&](std::size_t four) { return _mm_load_si128(reinterpret_cast<__m128i const*>(values) + four); };
    auto const lower_of = [](__m128i a, __m128i b) {
        auto const less = _mm_cmplt_epi32(a, b);
        return _mm_or_si128(_mm_and_si128(less, a), _mm_andnot_si128(less, b));
    };
    auto smallest = lower_of(load(0), load(1));
    for (std::size_t block = 1; block < blocks; ++block)
        smallest = lower_of(smallest, lower_of(load(2 * block), load(2 * block + 1)));
    smallest = lower_of(smallest, _mm_shuffle_epi32(smallest, 0x4E));
    return _mm_cvtsi128_si32(lower_of(smallest, _mm_shuffle_epi32(smallest, 0xB1)));
#elif defined(__aarch64__) && defined(__ARM_NEON)
    auto smallest = vld1q_s32(values);
    for (std::size_t four = 1; four < 2 * blocks; ++four) smallest = vminq_s32(smallest, vld1q_s32(values + 4 * four));
    return vminvq_s32(smallest);
#else
    return *std::min_element(values, values + blocks * 8);
#endif
}

/// The tokens of a piece of 2 to 64 bytes. A pair is its rank and its place in one number, so that the smallest number
/// is the leftmost pair of the lowest rank; a mask has the places that begin a token. Each merge costs a search over
/// all places: quadratic, but fastest for so few, and without memory.
class short_merge {
public:
    /// To begin later.
    short_merge() noexcept {}  // NOLINT: the arrays are filled by begin()
    /// Merges all.
    short_merge(tables const& in, std::string_view text) noexcept {
        begin(in, text);
        while (advance(in)) {}
    }

    /// Begins with the bytes of a text.
    void begin(tables const& in, std::string_view text) noexcept {
        auto const size = text.size();
        blocks_ = (size + 7) / 8;
        auto const byte = [&](std::size_t position) { return std::size_t{static_cast<unsigned char>(text[position])}; };
        for (std::size_t position = 0; position < size; ++position) tokens_[position] = in.byte_tokens[byte(position)];
        for (std::size_t position = 0; position + 1 < size; ++position)
            set_pair(static_cast<unsigned>(position), in.first_pairs[byte(position) << 8 | byte(position + 1)]);
        for (std::size_t position = size - 1; position < blocks_ * 8; ++position) ranked_[position] = nothing;
        begin_ = size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
        place_ = 64;
    }
    /// Merges one pair, and starts to load what the next call looks up; false if there is none. Merges of several
    /// pieces in turn need not wait for memory.
    bool advance(tables const& in) noexcept {
        if (place_ < 64) {
            // The pairs of the token that the last call made.
            auto const token = tokens_[place_];
            if (third_ < 64) set_pair(place_, in.pair(token, tokens_[third_]));
            else ranked_[place_] = nothing;
            if (left_ < 64) set_pair(left_, in.pair(tokens_[left_], token));
        }
        auto const smallest = least(ranked_, blocks_);
        if (smallest == nothing) return false;
        // The pair at `place_` and `second` becomes `token`; its pairs with the neighbours change with it.
        place_ = static_cast<unsigned>(smallest) & 63u;
        auto const token = static_cast<std::uint32_t>(smallest) >> 6;
        auto const second = next(place_);
        begin_ ^= std::uint64_t{1} << second;
        tokens_[place_] = token;
        ranked_[second] = nothing;
        third_ = next(place_);
        auto const before = begin_ & ((std::uint64_t{1} << place_) - 1);
        left_ = before == 0 ? 64 : 63u - static_cast<unsigned>(std::countl_zero(before));
        in.prefetch_hints(token);
        if (third_ < 64) in.prefetch_pair(token, tokens_[third_]);
        if (left_ < 64) in.prefetch_pair(tokens_[left_], token);
        return true;
    }

    /// How many tokens the piece has.
    std::size_t count() const noexcept { return static_cast<std::size_t>(std::popcount(begin_)); }
    /// Calls `sink` with each token, from left to right.
    template <class Sink>
    void each(Sink sink) const {
        for (auto remaining = begin_; remaining != 0; remaining &= remaining - 1)
            sink(tokens_[std::countr_zero(remaining)]);
    }

private:
    static constexpr std::int32_t nothing = 0x7FFF'FFFF;  ///< above every pair, whose rank has 21 bits

    void set_pair(unsigned place, std::uint32_t token) noexcept {
        ranked_[place] = token == none ? nothing : static_cast<std::int32_t>(token << 6 | place);
    }
    /// The next place after `place` that begins a token; 64 if there is none.
    unsigned next(unsigned place) const noexcept {
        if (place == 63) return 64;
        auto const after = begin_ >> (place + 1);
        return after == 0 ? 64 : place + 1 + static_cast<unsigned>(std::countr_zero(after));
    }

    alignas(16) std::int32_t ranked_[short_piece + 8];  ///< the pair that begins at each place
    std::uint32_t tokens_[short_piece];  ///< at the places in begin_; other entries are stale
    std::uint64_t begin_ = 0;  ///< the places that begin a token
    std::size_t blocks_ = 0;  ///< of eight places
    unsigned place_ = 64, third_ = 64, left_ = 64;  ///< of the last merge and its neighbours; 64 for none
};

/// Merges `count` pieces of 2 to 64 bytes, some at a time. `text(index)` is a piece; `done(index, tokens)` is called
/// when it is merged, in any order.
template <class Text, class Done>
void merge_in_turn(tables const& in, std::size_t count, Text text, Done done) {
    constexpr std::size_t at_once = 6;
    short_merge lanes[at_once];
    std::size_t indices[at_once];
    std::size_t used = 0, next = 0;
    auto const fill = [&](std::size_t lane) {
        lanes[lane].begin(in, text(next));
        indices[lane] = next++;
    };
    for (; used < at_once && next < count; ++used) fill(used);
    while (used != 0)
        for (std::size_t lane = 0; lane < used;) {
            if (lanes[lane].advance(in)) {
                ++lane;
                continue;
            }
            done(indices[lane], lanes[lane].count());
            if (next < count) fill(lane);
            else if (--used != lane) {
                lanes[lane] = lanes[used];
                indices[lane] = indices[used];
            }
        }
}

/// Appends the tokens of a piece of any size, in time n log n and linear memory. Returns the last pair that was merged;
/// none if no two bytes were. Merges: as `tables`, `pair` of two tokens, the lowest first, and `token_of` the pair.
template <class Merges>
std::uint32_t heap_merge(Merges const& in, std::string_view text, std::vector<std::uint32_t>& out) {
    /// A token of the piece, at the place of its first byte.
    struct part {
        std::uint32_t token;
        std::uint32_t size;  ///< bytes; 0 once it is merged into the part to the left
        std::uint32_t before;  ///< bytes of the part to the left
    };
    /// Ordered for a heap, whose front is the leftmost pair of the lowest rank.
    struct candidate {
        std::uint32_t pair;
        std::size_t place;
        bool operator<(candidate const& other) const noexcept {
            return pair != other.pair ? pair > other.pair : place > other.place;
        }
    };
    std::vector<part> parts(text.size());
    std::vector<candidate> heap;
    for (std::size_t position = 0; position < text.size(); ++position)
        parts[position] = {in.byte_tokens[static_cast<unsigned char>(text[position])], 1, position == 0 ? 0u : 1u};
    // The pair of the part at `place` and the next one; none if they do not merge.
    auto const pair_at = [&](std::size_t place) -> candidate {
        auto const right = place + parts[place].size;
        if (right >= text.size()) return {none, 0};
        return {in.pair(parts[place].token, parts[right].token), place};
    };
    for (std::size_t position = 0; position + 1 < text.size(); ++position)
        if (auto const next = pair_at(position); next.pair != none) heap.push_back(next);
    std::make_heap(heap.begin(), heap.end());
    auto const push_pair = [&](std::size_t place) {
        auto const next = pair_at(place);
        if (next.pair == none) return;
        heap.push_back(next);
        std::push_heap(heap.begin(), heap.end());
    };
    auto last = none;
    while (!heap.empty()) {
        auto const smallest = heap.front();
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
        auto& left = parts[smallest.place];
        // Skips a pair of which a part has merged since: then other tokens are at its place, which are another pair.
        if (left.size == 0 || pair_at(smallest.place).pair != smallest.pair) continue;
        last = smallest.pair;
        auto& right = parts[smallest.place + left.size];
        left = {in.token_of(smallest.pair), left.size + right.size, left.before};
        right.size = 0;
        if (auto const after = smallest.place + left.size; after < text.size()) {
            parts[after].before = left.size;
            push_pair(smallest.place);
        }
        if (smallest.place != 0) push_pair(smallest.place - left.before);
    }
    for (std::size_t position = 0; position < text.size(); position += parts[position].size)
        out.push_back(parts[position].token);
    return last;
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
