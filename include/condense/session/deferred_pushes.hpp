// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <condense/detail/address.hpp>
#include <condense/detail/scope_exit.hpp>

// Messages that an estimator, a layer or a summarising model pushes while the session is busy with a run or another
// message. They are appended afterwards, in order.

namespace condense {
inline namespace v1 {
namespace detail {

/// A queue that may be pushed to while it is being drained. One thread at a time.
template <class Message>
class deferred_pushes {
public:
    /// True while pushes are to be deferred.
    bool busy() const noexcept { return busy_; }
    /// The session is busy until the result is destroyed; nests.
    [[nodiscard]] auto occupy() const noexcept {
        return scope_exit{[this, before = std::exchange(busy_, true)]() noexcept { busy_ = before; }};
    }

    void push(Message m) { deferred_.push_back(std::move(m)); }
    /// The oldest message; null if there is none. Its address is valid until `pop`, whatever is pushed meanwhile:
    /// pushes go to the other vector.
    Message* next() noexcept {
        if (drained_count_ == draining_.size()) {
            draining_.clear();
            drained_count_ = 0;
            draining_.swap(deferred_);
        }
        return draining_.empty() ? nullptr : address_of(draining_[drained_count_]);
    }
    /// Removes the message that `next` returned, which the caller has moved from.
    void pop() noexcept { ++drained_count_; }
    std::size_t size() const noexcept { return draining_.size() - drained_count_ + deferred_.size(); }

private:
    std::vector<Message> deferred_;
    std::vector<Message> draining_;  ///< pushed earlier, now being appended
    std::size_t drained_count_ = 0;          ///< messages of `draining_` that are appended
    mutable bool busy_ = false;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
