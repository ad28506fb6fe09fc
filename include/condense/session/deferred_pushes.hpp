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

template <class Message>
class deferred_pushes {
public:
    /// Pushes are to be deferred.
    bool busy() const noexcept { return busy_; }
    /// The session is busy until the result is destroyed; nests.
    [[nodiscard]] auto occupy() const noexcept {
        return scope_exit{[this, before = std::exchange(busy_, true)]() noexcept { busy_ = before; }};
    }

    void push(Message m) { waiting_.push_back(std::move(m)); }
    /// The oldest; null where there is none. It stays in place until `pop`, whatever is pushed meanwhile.
    Message* next() noexcept {
        if (taken_ == draining_.size()) {
            draining_.clear();
            taken_ = 0;
            draining_.swap(waiting_);
        }
        return draining_.empty() ? nullptr : address_of(draining_[taken_]);
    }
    void pop() noexcept { ++taken_; }
    std::size_t size() const noexcept { return draining_.size() - taken_ + waiting_.size(); }

private:
    std::vector<Message> waiting_;
    std::vector<Message> draining_;  ///< pushed earlier, and being appended
    std::size_t taken_ = 0;          ///< of those, how many are appended
    mutable bool busy_ = false;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
