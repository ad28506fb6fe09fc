// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/core/reduce.hpp>
#include <condense/replay/reading.hpp>

// A conversation prepared for replays: everything that all mixes need, read once.

namespace condense {
inline namespace v1 {
namespace detail {

/// The messages of a conversation with their readings and costs, by index, and the answers among them. Refers to the
/// messages, which must outlive it and may not change. Reading costs one pass over all text.
template <message Message, token_estimator Estimator>
class replay_script {
public:
    /// One answer of the model: the messages [first, past), more than one where assistant messages were joined.
    struct answer {
        std::size_t first = 0;
        std::size_t past = 0;
    };

    /// `messages` is any range of Message; `count` estimates their costs.
    template <class Messages>
    replay_script(Messages const& messages, Estimator count) : estimator_(std::move(count)) {
        for (Message const& m : messages) {
            auto const index = messages_.size();
            messages_.push_back(address_of(m));
            readings_.push_back(read_message(m));
            costs_.push_back(cost_of_message(m, estimator_));
            if (readings_.back().speaker != role::assistant) continue;
            bool const joined = !answers_.empty() && answers_.back().past == index && joins_previous(m);
            if (!joined) answers_.push_back({index, index});
            answers_.back().past = index + 1;
        }
    }

    /// Messages of the conversation; the functions below take an index below it.
    std::size_t size() const noexcept { return messages_.size(); }
    Message const& at(std::size_t index) const noexcept { return *messages_[index]; }
    message_reading const& reading(std::size_t index) const noexcept { return readings_[index]; }
    std::vector<message_reading> const& readings() const noexcept { return readings_; }
    /// The estimated cost of a message in a request.
    v1::cost cost(std::size_t index) const noexcept { return costs_[index]; }
    /// The answers in order. A conversation may begin with one.
    std::vector<answer> const& answers() const noexcept { return answers_; }
    Estimator const& estimator() const noexcept { return estimator_; }

private:
    Estimator estimator_;
    std::vector<Message const*> messages_;
    std::vector<message_reading> readings_;
    std::vector<v1::cost> costs_;
    std::vector<answer> answers_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
