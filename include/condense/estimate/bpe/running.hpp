// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/estimate/bpe/counter.hpp>
#include <condense/estimate/bpe/safe_cut.hpp>

// The count of a text that grows. What is appended may join the last pieces, and lower the count; so
// the text from the last safe cut on is kept, and only it is counted again.

namespace condense {
inline namespace v1 {

/// A value: a copy is a snapshot, and goes on from there. After every append the count is that of the whole
/// text. An append costs what is appended and the text since the last safe cut: a few words as a rule, but
/// all of a piece that has no end, such as a megabyte of one letter.
class bpe_running_count {
public:
    /// `counter` may be another one each time, of the same vocabulary.
    void append(bpe_counter& counter, std::string_view text) {
        tail_ += text;
        // Whether a place is safe is decided by the code points at it, so places seen before are not seen again.
        if (auto const cut = detail::bpe::last_cut(tail_, seen_); cut != 0) {
            settled_ += counter.count(std::string_view{tail_}.substr(0, cut));
            tail_.erase(0, cut);
        }
        seen_ = tail_.size() < 4 ? 0 : tail_.size() - 4;
        open_ = counter.count(tail_);
    }

    /// Tokens of all that was appended.
    std::uint64_t count() const noexcept { return settled_ + open_; }
    /// What may still be counted otherwise.
    std::string_view tail() const noexcept { return tail_; }

private:
    std::uint64_t settled_ = 0;
    std::uint64_t open_ = 0;
    std::string tail_;
    std::size_t seen_ = 0;
};

}  // namespace v1
}  // namespace condense
