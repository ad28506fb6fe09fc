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

// Exact counting as an estimator: `condense::bpe{vocabulary}` wherever an estimator goes.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// What one thread remembers for one vocabulary.
struct thread_counter {
    bpe_counter counter;
    bpe_memo memo;

    explicit thread_counter(bpe_vocabulary const& vocabulary) : counter{vocabulary} {}
};

/// This thread's counter for a vocabulary. The last four are kept, and keep their vocabularies, until the thread ends.
inline thread_counter& counter_of(bpe_vocabulary const& vocabulary) {
    thread_local std::vector<std::unique_ptr<thread_counter>> kept;
    std::size_t at = 0;
    while (at < kept.size() && !(kept[at]->counter.vocabulary() == vocabulary)) ++at;
    if (at == kept.size()) {
        auto made = std::make_unique<thread_counter>(vocabulary);
        if (kept.size() < 4) kept.push_back(std::move(made));
        else kept[--at] = std::move(made);
    }
    for (; at != 0; --at) std::swap(kept[at - 1], kept[at]);
    return *kept.front();
}

}  // namespace detail::bpe

/// Tokens of text exactly, and a frame for each message. Copies share the vocabulary; any number of threads
/// may count with one. Each thread remembers 0.6 MiB for a vocabulary at first, 8.3 MiB at most.
class bpe {
public:
    static constexpr bool deterministic = true;

    /// `per_message`: of published request overheads for GPT, 3 to 4.
    explicit bpe(bpe_vocabulary vocabulary, tokens per_message = {4})
        : vocabulary_{std::move(vocabulary)}, per_message_{per_message} {}

    cost operator()(std::string_view text) const {
        if (text.empty()) return {};
        auto& mine = detail::bpe::counter_of(vocabulary_);
        return cost::of({mine.memo.count(mine.counter, text)});
    }
    cost frame(role) const noexcept { return cost::of(per_message_); }
    cost frame(part_view const& part) const { return detail::name_frame(*this, part); }

    bpe_vocabulary const& vocabulary() const noexcept { return vocabulary_; }

    friend bool operator==(bpe const& left, bpe const& right) noexcept {
        return left.vocabulary_ == right.vocabulary_ && left.per_message_ == right.per_message_;
    }

private:
    bpe_vocabulary vocabulary_;
    tokens per_message_;
};

}  // namespace v1
}  // namespace condense
