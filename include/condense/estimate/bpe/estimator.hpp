// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/estimator.hpp>
#include <condense/core/quantity.hpp>
#include <condense/estimate/bpe/counter.hpp>
#include <condense/estimate/bpe/memo.hpp>
#include <condense/estimate/char_ratio.hpp>

// Exact counting as an estimator: condense::bpe{vocabulary} wherever an estimator is expected.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// The counter and the caches of one thread for one vocabulary.
struct thread_counter {
    bpe_counter counter;
    bpe_memo memo;

    explicit thread_counter(bpe_vocabulary const& vocabulary) : counter{vocabulary} {}
};

/// This thread's counter for a vocabulary, valid until the next call. The four used last stay, most recent first, and
/// own their vocabularies until the thread ends.
inline thread_counter& counter_of(bpe_vocabulary const& vocabulary) {
    thread_local std::vector<std::unique_ptr<thread_counter>> recent;
    std::size_t index = 0;
    while (index < recent.size() && !(recent[index]->counter.vocabulary() == vocabulary)) ++index;
    if (index == recent.size()) {
        auto counter = std::make_unique<thread_counter>(vocabulary);
        if (recent.size() < 4) recent.push_back(std::move(counter));
        else recent[--index] = std::move(counter);
    }
    for (; index != 0; --index) std::swap(recent[index - 1], recent[index]);
    return *recent.front();
}

}  // namespace detail::bpe

/// The exact number of tokens of a text, and a frame for each message. Copies share the vocabulary, and any number of
/// threads may count with one object. Caches of each thread take 0.6 MiB for a vocabulary at first, 8.3 MiB at most.
class bpe {
public:
    static constexpr bool deterministic = true;

    /// `per_message` is what a message costs beside its text; the published overheads for GPT are 3 to 4.
    explicit bpe(bpe_vocabulary vocabulary, tokens per_message = {4})
        : vocabulary_{std::move(vocabulary)}, per_message_{per_message} {}

    /// May allocate for the caches of this thread.
    cost operator()(std::string_view text) const {
        if (text.empty()) return {};
        auto& local = detail::bpe::counter_of(vocabulary_);
        return cost::of({local.memo.count(local.counter, text)});
    }
    cost frame(role) const noexcept { return cost::of(per_message_); }
    cost frame(part_view const& part) const { return detail::name_frame(*this, part); }

    bpe_vocabulary const& vocabulary() const noexcept { return vocabulary_; }

    /// Equal if both share a vocabulary, not if they have equal tokens.
    friend bool operator==(bpe const& left, bpe const& right) noexcept {
        return left.vocabulary_ == right.vocabulary_ && left.per_message_ == right.per_message_;
    }

private:
    bpe_vocabulary vocabulary_;
    tokens per_message_;
};

}  // namespace v1
}  // namespace condense
