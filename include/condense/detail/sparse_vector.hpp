// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <condense/detail/grow.hpp>

// A vector that can forget most of its early values, while all others keep their indices: the records of a conversation
// whose messages leave, but for some at its beginning.

namespace condense {
inline namespace v1 {
namespace detail {

/// Any number of values, of which those from some index on are all there, and before it only some. One that was
/// forgotten reads as `gone`, and must not be written. Costs a comparison more than a vector; before that index, a
/// binary search.
template <class Value>
class sparse_vector {
public:
    constexpr std::size_t size() const noexcept { return values_.size() + missing_; }
    /// How many are there.
    constexpr std::size_t count() const noexcept { return values_.size(); }
    constexpr Value const& operator[](std::size_t index) const noexcept {
        return index >= dense_ ? values_[index - missing_] : early(index);
    }
    constexpr Value& operator[](std::size_t index) noexcept { return const_cast<Value&>(std::as_const(*this)[index]); }

    constexpr void reserve_more(std::size_t more) { grow(values_, more); }
    constexpr void push_back(Value const& value) { values_.push_back(value); }
    constexpr void resize(std::size_t size) { values_.resize(size - missing_); }

    /// All values from `first` on, up to `last`, are there.
    constexpr bool has(std::size_t first, std::size_t last) const noexcept {
        return first >= dense_ || last - first <= 1;
    }
    /// Calls f(index) for each value that is there, from the last to the first.
    template <class Function>
    constexpr void each_backward(Function&& f) const {
        for (auto index = size(); index-- > dense_;) f(index);
        for (auto early = indices_.size(); early-- > 0;) f(std::size_t{indices_[early]});
    }

    /// A copy with the values from `dense` on, which must all be there, and those of `indices`, which are less, ascend
    /// and are there, too. Others read as `gone`.
    constexpr sparse_vector with_only(std::vector<std::uint32_t> const& indices, std::size_t dense,
                                      Value const& gone) const {
        sparse_vector result;
        result.values_.reserve(indices.size() + (size() - dense));
        for (auto const index : indices) result.values_.push_back((*this)[index]);
        for (auto index = dense; index < size(); ++index) result.values_.push_back((*this)[index]);
        result.indices_ = indices;
        result.dense_ = dense;
        result.missing_ = dense - indices.size();
        result.gone_ = gone;
        return result;
    }

private:
    constexpr Value const& early(std::size_t index) const noexcept {
        std::size_t begin = 0;
        for (auto end = indices_.size(); begin < end;) {
            auto const middle = begin + (end - begin) / 2;
            if (indices_[middle] == index) return values_[middle];
            if (indices_[middle] < index) begin = middle + 1;
            else end = middle;
        }
        return gone_;
    }

    std::vector<Value> values_;  ///< those of indices_ first
    std::vector<std::uint32_t> indices_;  ///< of the early ones that are there, ascending
    std::size_t dense_ = 0;  ///< from here on all are there
    std::size_t missing_ = 0;
    Value gone_ = {};
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
