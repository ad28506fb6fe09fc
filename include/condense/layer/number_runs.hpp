// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <condense/detail/grow.hpp>
#include <condense/detail/saturate.hpp>

// The numbers that a journal has given to messages: nearly always one after the other, so that a whole conversation is
// a few runs.

namespace condense {
inline namespace v1 {
namespace detail {

/// A list of numbers, kept as runs of consecutive ones. `none` follows itself. A template, so that only programs that
/// record have its code.
template <class = void>
class basic_number_runs {
public:
    static constexpr std::uint64_t none = u64_limit;

    std::size_t size() const noexcept { return size_; }
    /// A binary search among the runs.
    std::uint64_t operator[](std::size_t index) const noexcept {
        std::size_t begin = 0;
        for (auto end = runs_.size(); end - begin > 1;) {
            auto const middle = begin + (end - begin) / 2;
            (runs_[middle].begin <= index ? begin : end) = middle;
        }
        return at(runs_[begin], index);
    }
    /// Calls f(first, count) for each run.
    template <class Function>
    void each_run(Function&& f) const {
        for (std::size_t place = 0; place < runs_.size(); ++place)
            f(runs_[place].first, (place + 1 == runs_.size() ? size_ : runs_[place + 1].begin) - runs_[place].begin);
    }

    /// Makes room for one run more, so that the next `push_back` cannot fail.
    void reserve_one() { grow(runs_, 1); }
    void push_back(std::uint64_t number) { append(number, 1); }
    /// Appends `count` numbers from `first` on.
    void append(std::uint64_t first, std::size_t count) {
        if (runs_.empty() || at(runs_.back(), size_) != first) runs_.push_back({size_, first});
        size_ += count;
    }
    /// Leaves the first `size`, or all if there are fewer.
    void cut(std::size_t size) noexcept {
        if (size >= size_) return;
        while (!runs_.empty() && runs_.back().begin >= size) runs_.pop_back();
        size_ = size;
    }

private:
    struct run {
        std::size_t begin = 0;  ///< index of its first number
        std::uint64_t first = 0;
    };
    static std::uint64_t at(run const& from, std::size_t index) noexcept {
        return from.first == none ? none : from.first + (index - from.begin);
    }

    std::vector<run> runs_;
    std::size_t size_ = 0;
};
using number_runs = basic_number_runs<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
