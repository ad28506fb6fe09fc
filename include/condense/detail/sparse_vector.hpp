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

/// Which indices have values: all from `dense` on, and before it those of `early`.
struct sparse_layout {
    std::vector<std::uint32_t> early = {};  ///< ascending, all below `dense`
    std::size_t dense = 0;

    /// One for `size` indices of which those of `left`, which ascend, are needed: `dense` is as small as it can be, but
    /// not below `least`, where more than half of the values from there on are needed.
    static constexpr sparse_layout of(std::vector<std::uint32_t> left, std::size_t size, std::size_t least) {
        auto first = left.size();
        for (auto at = left.size(); at-- > 0 && left[at] >= least;)
            if (2 * (left.size() - at) >= size - left[at]) first = at;
        auto const dense = first == left.size() ? size : left[first];
        left.resize(first);
        return {std::move(left), dense};
    }
};

/// Any number of values, of which some are missing. One that is missing reads as `gone`, and must not be written. Costs
/// a comparison more than a vector; an early value costs a binary search.
template <class Value>
class sparse_vector {
public:
    constexpr sparse_vector() = default;
    /// An empty one, to be filled in order with the values that the layout names: `skip_to` comes before each that does
    /// not follow the one before it.
    constexpr sparse_vector(sparse_layout layout, Value const& gone) : layout_{std::move(layout)}, gone_{gone} {}

    /// A full one of `size` indices, `count` of which have values.
    constexpr sparse_vector(sparse_layout layout, Value const& gone, std::size_t size, std::size_t count)
        : values_(count), layout_{std::move(layout)}, missing_{size - count}, gone_{gone} {}

    constexpr std::size_t size() const noexcept { return values_.size() + missing_; }
    /// How many are there.
    constexpr std::size_t count() const noexcept { return values_.size(); }
    constexpr sparse_layout const& layout() const noexcept { return layout_; }
    constexpr Value const& operator[](std::size_t index) const noexcept {
        return index >= layout_.dense ? values_[index - missing_] : early(index);
    }
    constexpr Value& operator[](std::size_t index) noexcept { return const_cast<Value&>(std::as_const(*this)[index]); }
    /// The value at `index`, below size(), is there.
    constexpr bool contains(std::size_t index) const noexcept { return &(*this)[index] != &gone_; }

    /// The first index from this one on with a value; size() where there is none.
    constexpr std::size_t next(std::size_t index) const noexcept {
        if (index < layout_.dense) {
            std::size_t begin = 0;
            for (auto end = layout_.early.size(); begin < end;) {
                auto const middle = begin + (end - begin) / 2;
                if (layout_.early[middle] < index) begin = middle + 1;
                else end = middle;
            }
            index = begin < layout_.early.size() ? layout_.early[begin] : layout_.dense;
        }
        return index < size() ? index : size();
    }

    constexpr void reserve_more(std::size_t more) { grow(values_, more); }
    constexpr void push_back(Value const& value) { values_.push_back(value); }
    /// The next value has this index; those between are missing.
    constexpr void skip_to(std::size_t index) noexcept { missing_ = index - values_.size(); }

    /// Calls f(index) for each value that is there, ascending.
    template <class Function>
    constexpr void each(Function&& f) const {
        for (std::size_t at = 0; at < layout_.early.size() && at < values_.size(); ++at) f(layout_.early[at]);
        for (auto index = layout_.dense; index < size(); ++index) f(static_cast<std::uint32_t>(index));
    }

    /// A copy with the values that the layout names, which must be there. Others read as `gone`.
    constexpr sparse_vector with_only(sparse_layout layout, Value const& gone) const {
        sparse_vector result{std::move(layout), gone};
        auto const& [early, dense] = result.layout_;
        result.values_.reserve(early.size() + (size() - dense));
        for (auto const index : early) result.values_.push_back((*this)[index]);
        for (auto index = dense; index < size(); ++index) result.values_.push_back((*this)[index]);
        result.missing_ = dense - early.size();
        return result;
    }

private:
    constexpr Value const& early(std::size_t index) const noexcept {
        std::size_t begin = 0;
        for (auto end = layout_.early.size(); begin < end;) {
            auto const middle = begin + (end - begin) / 2;
            if (layout_.early[middle] == index) return values_[middle];
            if (layout_.early[middle] < index) begin = middle + 1;
            else end = middle;
        }
        return gone_;
    }

    std::vector<Value> values_;  ///< the early ones first
    sparse_layout layout_;
    std::size_t missing_ = 0;  ///< indices before the next one without a value
    Value gone_ = {};
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
