// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/replay/script.hpp>

// A request as it would be sent, message by message, and the prefix that it shares with the one before.

namespace condense {
inline namespace v1 {
namespace detail {

/// A message of a request.
struct sent_message {
    std::uint32_t index = none32;  ///< in the conversation, of an original sent as it came; else none
    std::uint64_t print = 0;
    v1::cost cost = {};
    std::uint32_t made = none32;  ///< the place of its reading, where it is no original
};

/// The present request and the one before. Costs a look at each message, and a reading of those that were made.
template <class Script>
class sent_requests {
public:
    explicit sent_requests(Script const& script) noexcept : script_{&script} {}

    /// `history` is what the session holds: an original is known by its place in memory.
    /// `made(message, print)` is called for each other message.
    template <class Request, class History, class Function>
    void take(Request const& request, History const& history, Function&& made) {
        before_.swap(now_);
        now_.clear();
        made_.clear();
        sum_ = {};
        for (auto const& m : request) {
            sent_message one{.index = place_of(m, history)};
            if (one.index != none32) {
                one.print = script_->reading(one.index).print;
                one.cost = script_->cost(one.index);
            } else {
                one.made = static_cast<std::uint32_t>(made_.size());
                made_.push_back(read_message(m));
                one.print = made_.back().print;
                one.cost = cost_of_made(m, one.print);
                made(m, one.print);
            }
            sum_ += one.cost;
            now_.push_back(one);
        }
        shared_ = 0;
        shared_cost_ = {};
        while (shared_ < now_.size() && shared_ < before_.size() && now_[shared_].print == before_[shared_].print)
            shared_cost_ += now_[shared_++].cost;
    }

    message_reading const& made(std::uint32_t place) const noexcept { return made_[place]; }
    std::vector<sent_message> const& now() const noexcept { return now_; }
    std::vector<sent_message> const& before() const noexcept { return before_; }
    v1::cost sum() const noexcept { return sum_; }
    std::size_t shared() const noexcept { return shared_; }
    v1::cost shared_cost() const noexcept { return shared_cost_; }
    /// No request is empty.
    bool first() const noexcept { return before_.empty(); }

private:
    template <class Message, class History>
    static std::uint32_t place_of(Message const& m, History const& history) noexcept {
        auto const* const begin = history.data();
        std::less<> const before{};
        auto const* const at = address_of(m);
        if (before(at, begin) || !before(at, begin + history.size())) return none32;
        return static_cast<std::uint32_t>(at - begin);
    }

    template <class Message>
    v1::cost cost_of_made(Message const& m, std::uint64_t print) {
        auto const [found, fresh] = costs_.try_emplace(print);
        if (fresh) found->second = cost_of_message(m, script_->estimator());
        return found->second;
    }

    Script const* script_;
    std::vector<message_reading> made_;
    std::unordered_map<std::uint64_t, v1::cost> costs_;  ///< of what was made so far
    std::vector<sent_message> now_;
    std::vector<sent_message> before_;
    v1::cost sum_ = {};
    std::size_t shared_ = 0;
    v1::cost shared_cost_ = {};
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
