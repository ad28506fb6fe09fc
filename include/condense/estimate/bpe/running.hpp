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

// The count of a text that grows. What is appended may join the last pieces, and lower the count; so
// these are kept, as text while it is short, and only they are counted again.

namespace condense {
inline namespace v1 {

/// A value: a copy is a snapshot, and goes on from there. After every append the count is that of the whole
/// text. An append costs what is appended and a tail of some 64 bytes, in pieces without end too; but where
/// parts of tokens rank above them (no published encoding), all of such a piece.
class bpe_running_count {
public:
    /// `counter` may be another one each time, of the same vocabulary.
    void append(bpe_counter& counter, std::string_view text) {
        tail_ += text;
        while (!follow_piece()) {
            settle(counter);
            if (tail_.size() <= short_tail || !counter.vocabulary().tables().of.ordered) break;
            piece_.emplace(counter.vocabulary(), tail_);
        }
        open_ = piece_ ? piece_and_tail(counter) : counter.count(tail_);
    }

    /// Tokens of all that was appended.
    std::uint64_t count() const noexcept { return settled_ + open_; }
    /// The text that is kept: what may still be counted otherwise, without what is kept as counts.
    std::string_view tail() const noexcept { return tail_; }

private:
    static constexpr std::size_t short_tail = 64;

    /// Whether the tail is part of the long piece, or too short to say.
    bool follow_piece() {
        if (!piece_) return false;
        auto const taken = piece_->take(tail_);
        seen_ = 0;
        tail_.replace(0, taken, piece_->given_back());
        if (!piece_->ended()) return true;
        settled_ += piece_->count();
        piece_.reset();
        return false;
    }

    /// Counts for good what will not change.
    void settle(bpe_counter& counter) {
        // Whether a place is safe is decided by the code points at it, so places seen before are not seen again.
        if (auto const cut = detail::bpe::last_cut(tail_, seen_); cut != 0) {
            settled_ += counter.count(std::string_view{tail_}.substr(0, cut));
            tail_.erase(0, cut);
        }
        seen_ = tail_.size() < 4 ? 0 : tail_.size() - 4;
        if (tail_.size() <= short_tail) return;
        detail::bpe::with_rules(counter.vocabulary().scheme(), [&]<split_rules Rules>() {
            std::size_t begin = 0;
            while (tail_.size() - begin > short_tail) {
                auto const end = detail::bpe::splitter<Rules>{tail_}.next(begin).end;
                if (tail_.size() - end < 8 || detail::bpe::may_reach_beyond<Rules>(tail_, end)) break;
                settled_ += counter.count(std::string_view{tail_}.substr(begin, end - begin));
                begin = end;
            }
            tail_.erase(0, begin);
        });
        seen_ = 0;
    }

    std::uint64_t piece_and_tail(bpe_counter& counter) const {
        if (tail_.empty()) return piece_->count();
        auto ending = *piece_;
        auto const taken = ending.take(tail_, true);
        std::string left{ending.given_back()};
        left.append(tail_, taken);
        return ending.count() + counter.count(left);
    }

    std::uint64_t settled_ = 0;
    std::uint64_t open_ = 0;
    std::string tail_;
    std::size_t seen_ = 0;
    std::optional<detail::bpe::open_piece> piece_;
};

}  // namespace v1
}  // namespace condense
