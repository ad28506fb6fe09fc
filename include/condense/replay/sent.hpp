// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/replay/script.hpp>

// A request as it would be sent, message by message, and the prefix that it shares with the one before: the part that a
// prompt cache could serve.

namespace condense {
inline namespace v1 {
namespace detail {

/// A message of a request: an original of the conversation, or one derived by a run (shortened, a summary, an answer).
struct sent_message {
    std::uint32_t index = none32;  ///< of an unchanged original in the conversation; none32 for a derived message
    std::uint64_t print = 0;  ///< hash of its content; equal messages have equal prints
    v1::cost cost = {};
    std::uint32_t derived = none32;  ///< of a derived message, for `sent_requests::reading`; none32 for an original
};

/// The current request and the previous one. Setting a request costs constant time for each original and a reading of
/// each derived message; a derived message that was seen before is not estimated again.
template <class Script>
class sent_requests {
public:
    /// `script` must outlive this.
    explicit sent_requests(Script const& script) noexcept : script_{&script} {}

    /// Makes `request` the current one. `history` is the session's, contiguous: an original is recognised by its
    /// address in it. Calls on_derived(message, print) for each message that is no original.
    template <class Request, class History, class Function>
    void set_current(Request const& request, History const& history, Function&& on_derived) {
        previous_.swap(current_);
        current_.clear();
        derived_.clear();
        sum_ = {};
        for (auto const& m : request) {
            sent_message sent{.index = index_in(m, history)};
            if (sent.index != none32) {
                sent.print = script_->reading(sent.index).print;
                sent.cost = script_->cost(sent.index);
            } else {
                sent.derived = static_cast<std::uint32_t>(derived_.size());
                derived_.push_back(read_message(m));
                sent.print = derived_.back().print;
                sent.cost = cost_of_derived(m, sent.print);
                on_derived(m, sent.print);
            }
            sum_ += sent.cost;
            current_.push_back(sent);
        }
        prefix_size_ = 0;
        prefix_cost_ = {};
        while (prefix_size_ < current_.size() && prefix_size_ < previous_.size() &&
               current_[prefix_size_].print == previous_[prefix_size_].print)
            prefix_cost_ += current_[prefix_size_++].cost;
    }

    /// The reading of a derived message of the current request; valid until the next request is set.
    message_reading const& reading(std::uint32_t derived) const noexcept { return derived_[derived]; }
    std::vector<sent_message> const& current() const noexcept { return current_; }
    std::vector<sent_message> const& previous() const noexcept { return previous_; }
    /// The cost of the current request.
    v1::cost sum() const noexcept { return sum_; }
    /// How many messages at the front equal those of the previous request, and what they cost.
    std::size_t prefix_size() const noexcept { return prefix_size_; }
    v1::cost prefix_cost() const noexcept { return prefix_cost_; }
    /// True until a second request is set: no request is empty.
    bool first() const noexcept { return previous_.empty(); }

private:
    template <class Message, class History>
    /// The index of the element of `history` that `m` is; none32 for an object elsewhere.
    static std::uint32_t index_in(Message const& m, History const& history) noexcept {
        auto const* const begin = history.data();
        std::less<> const less{};
        auto const* const address = address_of(m);
        if (less(address, begin) || !less(address, begin + history.size())) return none32;
        return static_cast<std::uint32_t>(address - begin);
    }

    template <class Message>
    v1::cost cost_of_derived(Message const& m, std::uint64_t print) {
        auto const [entry, inserted] = costs_.try_emplace(print);
        if (inserted) entry->second = cost_of_message(m, script_->estimator());
        return entry->second;
    }

    Script const* script_;
    std::vector<message_reading> derived_;
    std::unordered_map<std::uint64_t, v1::cost> costs_;  ///< of all derived messages so far, by print
    std::vector<sent_message> current_;
    std::vector<sent_message> previous_;
    v1::cost sum_ = {};
    std::size_t prefix_size_ = 0;
    v1::cost prefix_cost_ = {};
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
