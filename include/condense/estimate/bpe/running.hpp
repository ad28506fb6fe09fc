// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/estimate/bpe/counter.hpp>
#include <condense/estimate/bpe/open_piece.hpp>
#include <condense/estimate/bpe/safe_cut.hpp>

// Counts the tokens of a text that grows, such as a streamed answer. Appended text may join the last pieces, and may
// even lower the count, so only those are kept and counted again: bpe_running_count{}.append(counter, text).

namespace condense {
inline namespace v1 {

/// The exact count of all text appended so far. A value: a copy is a snapshot, and goes on from there by itself. An
/// append costs the appended text and a tail of some 64 bytes, even within a piece without end; only with a vocabulary
/// that has parts ranked above their token (no published one) it costs all of the last piece.
class bpe_running_count {
public:
    /// Appends text, which may end within a code point. The counter may be another one each time, but of the same
    /// vocabulary.
    void append(bpe_counter& counter, std::string_view text) {
        tail_ += text;
        while (!feed_piece()) {
            move_final(counter);
            if (tail_.size() <= short_tail || !counter.vocabulary().tables().shape.ordered) break;
            piece_.emplace(counter.vocabulary(), tail_);
        }
        tail_count_ = piece_ ? piece_and_tail(counter) : counter.count(tail_);
    }

    /// The tokens of all appended text, as if it ended here.
    std::uint64_t count() const noexcept { return final_count_ + tail_count_; }
    /// The text that is kept because it may have to be counted again. Valid until the next append. A long piece is not
    /// part of it, being kept as counts.
    std::string_view tail() const noexcept { return tail_; }

private:
    static constexpr std::size_t short_tail = 64;

    /// Feeds the tail to the long piece; true if that goes on, so that nothing is left to do.
    bool feed_piece() {
        if (!piece_) return false;
        auto const consumed = piece_->consume(tail_);
        searched_ = 0;
        tail_.replace(0, consumed, piece_->given_back());
        if (!piece_->ended()) return true;
        final_count_ += piece_->count();
        piece_.reset();
        return false;
    }

    /// Counts the part of the tail that no append can change, and removes it: up to the last safe cut, then piece by
    /// piece while the tail is long.
    void move_final(bpe_counter& counter) {
        // The two code points at a place decide whether a cut is safe there, so places searched before need no second
        // look.
        if (auto const cut = detail::bpe::last_cut(tail_, searched_); cut != 0) {
            final_count_ += counter.count(std::string_view{tail_}.substr(0, cut));
            tail_.erase(0, cut);
        }
        searched_ = tail_.size() < 4 ? 0 : tail_.size() - 4;
        if (tail_.size() <= short_tail) return;
        detail::bpe::with_rules(counter.vocabulary().scheme(), [&]<split_rules Rules>() {
            std::size_t begin = 0;
            while (tail_.size() - begin > short_tail) {
                auto const end = detail::bpe::splitter<Rules>{tail_}.next(begin).end;
                if (tail_.size() - end < 8 || detail::bpe::may_reach_beyond<Rules>(tail_, end)) break;
                final_count_ += counter.count(std::string_view{tail_}.substr(begin, end - begin));
                begin = end;
            }
            tail_.erase(0, begin);
        });
        searched_ = 0;
    }

    /// The count of the long piece with the incomplete character behind it, if this is the end.
    std::uint64_t piece_and_tail(bpe_counter& counter) const {
        if (tail_.empty()) return piece_->count();
        auto completed = *piece_;
        auto const consumed = completed.consume(tail_, true);
        std::string remaining{completed.given_back()};
        remaining.append(tail_, consumed);
        return completed.count() + counter.count(remaining);
    }

    std::uint64_t final_count_ = 0;  ///< of text that no append can change
    std::uint64_t tail_count_ = 0;  ///< of the long piece and the tail
    std::string tail_;
    std::size_t searched_ = 0;  ///< where the search for a safe cut in the tail begins
    std::optional<detail::bpe::open_piece> piece_;  ///< the long piece before the tail
};

}  // namespace v1
}  // namespace condense
