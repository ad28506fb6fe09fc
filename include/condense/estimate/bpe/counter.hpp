// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/detail/utf8.hpp>
#include <condense/estimate/bpe/merge.hpp>
#include <condense/estimate/bpe/piece_cache.hpp>
#include <condense/estimate/bpe/span_cache.hpp>
#include <condense/estimate/bpe/split.hpp>
#include <condense/estimate/bpe/tiling.hpp>
#include <condense/estimate/bpe/vocabulary.hpp>
#include <condense/estimate/bpe/window_simd.hpp>

// Counts and encodes text exactly with a shared vocabulary: bpe_counter{vocabulary}.count(text). All text is ordinary
// text: what looks like a special token is counted as its characters.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// How many pieces are looked up together, so that waits for memory overlap.
inline constexpr std::size_t batch = 256;

/// Splits a text from `position` to `end`, and calls `many(begin, ends, count)` for neighbouring pieces from whose
/// begins 16 bytes may be read, and `one(begin, end, valid)` for pieces that are not well-formed UTF-8 or too near the
/// end of the text. The last piece may go beyond `end`; returns where it ends. `cut` is null without windows.
template <split_rules Rules, class Many, class One>
inline std::size_t each_piece(std::string_view text, std::size_t position, std::size_t end, cut_function cut,
                              Many&& many, One&& one) {
    std::size_t ends[batch];
    splitter<Rules> const split{text};
    auto const plain = [&](std::size_t place) { return static_cast<unsigned char>(text[place]) < 0x80; };
    // Up to where windows may reach, so that the last one begins before `end`.
    auto const reach = text.size() - end < window_reach ? text.size() : end + window_reach - 1;
    while (position < end) {
        auto const begin = position;
        std::size_t count = 0;
        piece next{position, true};
        while (position < end && count + 64 <= batch) {
            if (cut != nullptr && text.size() - position >= window_reach && plain(position) && plain(position + 1)) {
                auto const more = cut(text.data(), reach, position, ends + count, batch - count);
                count += more;
                while (more != 0 && count > 1 && ends[count - 2] >= end) --count;
                if (more != 0) position = ends[count - 1];
                if (position >= end || count + 64 > batch) break;
            }
            next = split.next(position);
            if (!next.valid || text.size() - position < 16) break;
            ends[count++] = position = next.end;
        }
        if (count != 0) many(begin, ends, count);
        if (next.end > position) {
            one(position, next.end, next.valid);
            position = next.end;
        }
    }
    return position;
}

/// True if merging is the fastest way to the tokens of a piece; for longer ones tiling is, as measured. From U+3000 on
/// characters have three bytes and tokens few characters: tiling reads them once, merging joins them byte by byte.
inline bool is_merged(tables const& in, std::string_view piece) noexcept {
    if (!in.shape.ordered) return piece.size() <= short_piece;
    return piece.size() <= (static_cast<unsigned char>(piece.front()) >= 0xE3 ? 6 : 24);
}

}  // namespace detail::bpe

/// Counts and encodes with one vocabulary. Remembers the counts of pieces (0.3 MiB at first, 8 MiB at most) and spans
/// of text that it counted (as much as was counted, 18 MiB at most), so it is for one thread at a time; the counters of
/// several threads share a vocabulary.
///
/// Any bytes are text: every ill-formed part of UTF-8 counts as one U+FFFD, as if decoded with replacement before
/// (Unicode 16, section 3.9).
class bpe_counter {
public:
    /// `unit` is only for tests and measurements: all give the same counts. It must be one that this machine has.
    explicit bpe_counter(bpe_vocabulary vocabulary, vector_unit unit = best_vector_unit())
        : vocabulary_{std::move(vocabulary)},
          cut_{detail::bpe::with_rules(vocabulary_.scheme(),
                                       [&]<split_rules Rules>() { return detail::bpe::cutter<Rules>(unit); })} {}

    bpe_vocabulary const& vocabulary() const noexcept { return vocabulary_; }

    /// The number of tokens of `text`, in one pass.
    std::uint64_t count(std::string_view text) {
        return detail::bpe::with_rules(vocabulary_.scheme(), [&]<split_rules Rules>() {
            std::uint64_t total = 0;
            for (std::size_t position = 0; position < text.size();)
                if (auto const end = detail::bpe::span_end(text, position); end != 0) {
                    total += span_count<Rules>(text, position, end);
                    position = end;
                } else {
                    position = add_pieces<Rules>(text, position,
                                                 (std::min)(text.size(), position + detail::bpe::longest_span), total);
                }
            return total;
        });
    }

    /// Appends the ids of the tokens of `text` to `out`. Slower than count, because pieces are not remembered.
    void encode(std::string_view text, std::vector<std::uint32_t>& out) {
        detail::bpe::with_rules(vocabulary_.scheme(), [&]<split_rules Rules>() {
            detail::bpe::each_piece<Rules>(
                text, 0, text.size(), cut_,
                [&](std::size_t begin, std::size_t const* ends, std::size_t count) {
                    for (; count != 0; begin = *ends++, --count) append_ids(text.substr(begin, *ends - begin), out);
                },
                [&](std::size_t begin, std::size_t end, bool valid) {
                    auto const piece = text.substr(begin, end - begin);
                    if (valid) append_ids(piece, out);
                    else append_ids(scrubbed(piece), out);
                });
        });
    }
    std::vector<std::uint32_t> encode(std::string_view text) {
        std::vector<std::uint32_t> out;
        encode(text, out);
        return out;
    }

private:
    static std::string scrubbed(std::string_view piece) {
        std::string out;
        detail::utf8::append_scrubbed(out, piece);
        return out;
    }

    /// Of a span that ends at a safe cut.
    template <split_rules Rules>
    std::uint64_t span_count(std::string_view text, std::size_t position, std::size_t end) {
        auto const span = text.substr(position, end - position);
        auto const hash = detail::bpe::span_hash(span);
        if (auto const known = spans_.find(span, hash); known != 0) return known;
        std::uint64_t count = 0;
        add_pieces<Rules>(text, position, end, count);
        spans_.insert(span, hash, count);
        return count;
    }
    /// Adds the tokens of the pieces that begin from `position` on and before `end` to `total`; returns where they end.
    template <split_rules Rules>
    std::size_t add_pieces(std::string_view text, std::size_t position, std::size_t end, std::uint64_t& total) {
        return detail::bpe::each_piece<Rules>(
            text, position, end, cut_,
            [&](std::size_t from, std::size_t const* ends, std::size_t count) {
                total += batch_count(text, from, ends, count);
            },
            [&](std::size_t from, std::size_t to, bool valid) {
                total += piece_count(text.substr(from, to - from), valid);
            });
    }
    /// Counts pieces in three rounds: the first takes short ones in the cache, and starts to load what the others are
    /// looked up in; the second looks those up; the third merges what is left.
    std::uint64_t batch_count(std::string_view text, std::size_t begin, std::size_t const* ends, std::size_t count) {
        namespace bpe = detail::bpe;
        missing misses[bpe::batch], longer[bpe::batch];
        std::size_t miss_count = 0, long_count = 0, merge_count = 0;
        std::uint64_t total = 0;
        for (; count != 0; begin = *ends++, --count) {
            auto const size = *ends - begin;
            if (size > bpe::piece_key::longest) [[unlikely]] {
                auto const hash = size > bpe::middle_cache::longest ? 0 : bpe::text_hash(text.substr(begin, size));
                middle_.prefetch(hash);
                longer[long_count++] = {0, 0, hash, begin, size};
                continue;
            }
            auto const key = bpe::key_within(text.data() + begin, size);
            auto const hash = key.hash();
            auto const cached = short_.find(key, hash);
            total += cached;
            if (cached == 0) {
                vocabulary_.tables().prefetch(hash);
                misses[miss_count++] = {key.low, key.high, hash, begin, size};
            }
        }
        for (auto const* each = misses; each != misses + miss_count; ++each) {
            auto const counted = unmerged_count(*each, text.substr(each->begin, each->size));
            total += counted;
            if (counted == 0) misses[merge_count++] = *each;
        }
        for (auto const* each = longer; each != longer + long_count; ++each) {
            auto const counted = unmerged_count(*each, text.substr(each->begin, each->size));
            total += counted;
            if (counted == 0) misses[merge_count++] = *each;
        }
        auto const piece = [&](std::size_t index) { return text.substr(misses[index].begin, misses[index].size); };
        bpe::merge_in_turn(vocabulary_.tables(), merge_count, piece, [&](std::size_t index, std::size_t size) {
            remember(misses[index], piece(index), size);
            total += size;
        });
        return total;
    }
    /// Of any piece.
    std::uint64_t piece_count(std::string_view piece, bool valid) {
        namespace bpe = detail::bpe;
        if (!valid) return piece_count(scrubbed(piece), true);
        missing wanted{0, 0, 0, 0, piece.size()};
        if (piece.size() <= bpe::piece_key::longest) {
            auto const key = bpe::key_of(piece);
            wanted = {key.low, key.high, key.hash(), 0, piece.size()};
        } else if (piece.size() <= bpe::middle_cache::longest) wanted.hash = bpe::text_hash(piece);
        if (auto const counted = unmerged_count(wanted, piece); counted != 0) return counted;
        auto const count = bpe::short_merge{vocabulary_.tables(), piece}.count();
        remember(wanted, piece, count);
        return count;
    }
    /// A piece that is not found at once. Has no initial values, which would cost a pass over arrays of it.
    struct missing {
        std::uint64_t low, high;  ///< of its key, if it has at most 15 bytes
        std::uint64_t hash;  ///< for its cache, if there is one for its size
        std::size_t begin;
        std::size_t size;

        detail::bpe::piece_key key() const noexcept { return {low, high}; }
    };
    /// Of a piece, by its cache, as a token, or by tiling; 0 if it is to be merged.
    std::uint64_t unmerged_count(missing const& wanted, std::string_view piece) {
        namespace bpe = detail::bpe;
        auto const& in = vocabulary_.tables();
        bool token = false;
        if (piece.size() <= bpe::piece_key::longest) {
            if (auto const cached = short_.find(wanted.key(), wanted.hash); cached != 0) return cached;
            token = in.has(wanted.key(), wanted.hash);
        } else {
            if (piece.size() <= bpe::middle_cache::longest)
                if (auto const cached = middle_.find(piece, wanted.hash); cached != 0) return cached;
            token = in.find(piece) != bpe::none;
        }
        if (!token && bpe::is_merged(in, piece)) return 0;
        auto const count = token ? 1 : long_tokens(piece).size();
        remember(wanted, piece, count);
        return count;
    }
    /// Puts a piece into the cache for its size, if there is one and it is not there.
    void remember(missing const& counted, std::string_view piece, std::size_t size) {
        namespace bpe = detail::bpe;
        auto const count = static_cast<std::uint32_t>(size);
        if (piece.size() <= bpe::piece_key::longest) {
            if (short_.find(counted.key(), counted.hash) == 0) short_.insert(counted.key(), counted.hash, count);
        } else if (piece.size() <= bpe::middle_cache::longest && middle_.find(piece, counted.hash) == 0) {
            middle_.insert(piece, counted.hash, count);
        }
    }
    /// The tokens of a piece too long to merge, valid until the next call. The heap is used if tiling is not exact, or
    /// finds nothing in the tables of a forged image.
    std::vector<std::uint32_t> const& long_tokens(std::string_view piece) {
        auto const& in = vocabulary_.tables();
        if (in.shape.ordered) {
            tiler_.shrink();
            if (auto const& tiles = tiler_(in, piece); !tiles.empty()) return tiles;
        }
        merged_.clear();
        detail::bpe::heap_merge(in, piece, merged_);
        return merged_;
    }
    void append_ids(std::string_view piece, std::vector<std::uint32_t>& out) {
        auto const& in = vocabulary_.tables();
        auto const add = [&](std::uint32_t token) { out.push_back(in.id(token)); };
        if (auto const single = in.find(piece); single != detail::bpe::none) add(single);
        else if (detail::bpe::is_merged(in, piece)) detail::bpe::short_merge{in, piece}.each(add);
        else
            for (auto const token : long_tokens(piece)) add(token);
    }

    bpe_vocabulary vocabulary_;
    detail::bpe::cut_function cut_ = nullptr;
    detail::bpe::short_cache short_;
    detail::bpe::middle_cache middle_;
    detail::bpe::span_cache spans_;
    detail::bpe::tiler tiler_;
    std::vector<std::uint32_t> merged_;
};

}  // namespace v1
}  // namespace condense
