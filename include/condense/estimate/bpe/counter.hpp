// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/detail/utf8.hpp>
#include <condense/estimate/bpe/merge.hpp>
#include <condense/estimate/bpe/piece_cache.hpp>
#include <condense/estimate/bpe/split.hpp>
#include <condense/estimate/bpe/tiling.hpp>
#include <condense/estimate/bpe/vocabulary.hpp>
#include <condense/estimate/bpe/window_simd.hpp>

// Exact counts and ids of tokens over a shared vocabulary. Text is ordinary text: what looks like a
// special token is counted as the characters it is made of.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Pieces that are looked up together.
inline constexpr std::size_t batch = 256;

/// Calls `many(begin, ends, count)` for pieces found by windows, from whose begins 16 bytes may be read, and
/// `one(begin, end, valid)` for each other.
template <split_rules Rules, class Many, class One>
inline void each_piece(std::string_view text, cut_function cut, Many&& many, One&& one) {
    std::size_t ends[batch];
    splitter<Rules> const split{text};
    auto const plain = [&](std::size_t at) { return static_cast<unsigned char>(text[at]) < 0x80; };
    for (std::size_t at = 0; at < text.size();) {
        if (cut != nullptr && text.size() - at >= window_reach && plain(at) && plain(at + 1)) {
            if (auto const found = cut(text.data(), text.size(), at, ends, batch); found != 0) {
                many(at, ends, found);
                at = ends[found - 1];
                if (found + 64 > batch) continue;
            }
        }
        auto const next = split.next(at);
        one(at, next.end, next.valid);
        at = next.end;
    }
}

/// Whether a piece is merged; the tokens of a longer one are found otherwise: measured, tiling is faster from there on.
/// From U+3000 on a token has few characters of three bytes, which tiling reads once and merging joins one by one.
inline bool is_merged(tables const& in, std::string_view piece) noexcept {
    if (!in.of.ordered) return piece.size() <= short_piece;
    return piece.size() <= (static_cast<unsigned char>(piece.front()) >= 0xE3 ? 6 : 24);
}

}  // namespace detail::bpe

/// Counts and encodes with one vocabulary. It remembers pieces (0.3 MiB at first, 8 MiB at most), so it is
/// for one thread at a time; counters of several threads share a vocabulary.
///
/// Any bytes are text: every ill-formed part of UTF-8 is counted as the U+FFFD that stands for it, as if
/// decoded with replacement (Unicode 16, section 3.9) before.
class bpe_counter {
public:
    explicit bpe_counter(bpe_vocabulary vocabulary, vector_unit unit = best_vector_unit())
        : vocabulary_{std::move(vocabulary)},
          cut_{detail::bpe::with_rules(vocabulary_.scheme(),
                                       [&]<split_rules Rules>() { return detail::bpe::cutter<Rules>(unit); })} {}

    bpe_vocabulary const& vocabulary() const noexcept { return vocabulary_; }

    std::uint64_t count(std::string_view text) {
        return detail::bpe::with_rules(vocabulary_.scheme(), [&]<split_rules Rules>() {
            std::uint64_t total = 0;
            detail::bpe::each_piece<Rules>(
                text, cut_,
                [&](std::size_t begin, std::size_t const* ends, std::size_t count) {
                    total += batch_count(text, begin, ends, count);
                },
                [&](std::size_t begin, std::size_t end, bool valid) {
                    total += piece_count(text.substr(begin, end - begin), valid);
                });
            return total;
        });
    }

    /// Appends the ids of `text`.
    void encode(std::string_view text, std::vector<std::uint32_t>& out) {
        detail::bpe::with_rules(vocabulary_.scheme(), [&]<split_rules Rules>() {
            detail::bpe::each_piece<Rules>(
                text, cut_,
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

    /// First what the cache knows; the others' lines of the table of tokens are under way while it is asked.
    std::uint64_t batch_count(std::string_view text, std::size_t begin, std::size_t const* ends, std::size_t count) {
        namespace bpe = detail::bpe;
        struct unknown {
            bpe::piece_key key;
            std::size_t begin;
        };
        unknown left[bpe::batch];
        std::size_t unknowns = 0;
        std::uint64_t total = 0;
        for (; count != 0; begin = *ends++, --count) {
            auto const size = *ends - begin;
            if (size > bpe::piece_key::longest) [[unlikely]] {
                total += piece_count(text.substr(begin, size), true);
                continue;
            }
            auto const key = bpe::key_within(text.data() + begin, size);
            auto const hash = key.hash();
            auto const known = short_.find(key, hash);
            total += known;
            if (known == 0) {
                vocabulary_.tables().prefetch(hash);
                left[unknowns++] = {key, begin};
            }
        }
        for (std::size_t each = 0; each < unknowns; ++each) {
            auto const& [key, from] = left[each];
            total += short_count(key, text.substr(from, key.high >> 56));
        }
        return total;
    }
    std::uint32_t short_count(detail::bpe::piece_key const& key, std::string_view piece) {
        auto const hash = key.hash();
        if (auto const known = short_.find(key, hash); known != 0) return known;
        auto const& in = vocabulary_.tables();
        auto const found = in.has(key, hash) ? 1u : static_cast<std::uint32_t>(parts_count(piece));
        short_.put(key, hash, found);
        return found;
    }
    std::uint64_t piece_count(std::string_view piece, bool valid) {
        if (!valid) return piece_count(scrubbed(piece), true);
        if (piece.size() <= detail::bpe::piece_key::longest) return short_count(detail::bpe::key_of(piece), piece);
        if (piece.size() > detail::bpe::middle_cache::longest) return new_count(piece);
        return middle_(piece, [&] { return static_cast<std::uint32_t>(new_count(piece)); });
    }
    std::uint64_t new_count(std::string_view piece) {
        auto const& in = vocabulary_.tables();
        return in.whole(piece) != detail::bpe::none ? 1 : parts_count(piece);
    }
    /// Of a piece that is no token.
    std::uint64_t parts_count(std::string_view piece) {
        auto const& in = vocabulary_.tables();
        return detail::bpe::is_merged(in, piece) ? detail::bpe::short_merge{in, piece}.count()
                                                 : long_tokens(piece).size();
    }
    std::vector<std::uint32_t> const& long_tokens(std::string_view piece) {
        auto const& in = vocabulary_.tables();
        if (in.of.ordered) {
            tiler_.shrink();
            if (auto const& found = tiler_(in, piece); !found.empty()) return found;
        }
        merged_.clear();
        detail::bpe::heap_merge(in, piece, merged_);
        return merged_;
    }
    void append_ids(std::string_view piece, std::vector<std::uint32_t>& out) {
        auto const& in = vocabulary_.tables();
        auto const add = [&](std::uint32_t token) { out.push_back(in.id(token)); };
        if (auto const whole = in.whole(piece); whole != detail::bpe::none) add(whole);
        else if (detail::bpe::is_merged(in, piece)) detail::bpe::short_merge{in, piece}.each(add);
        else
            for (auto const token : long_tokens(piece)) add(token);
    }

    bpe_vocabulary vocabulary_;
    detail::bpe::cut_function cut_ = nullptr;
    detail::bpe::short_cache short_;
    detail::bpe::middle_cache middle_;
    detail::bpe::tiler tiler_;
    std::vector<std::uint32_t> merged_;
};

}  // namespace v1
}  // namespace condense
