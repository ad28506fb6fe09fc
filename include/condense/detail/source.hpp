// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>  // and the kinds of iterators: <iterator> adds those of streams, which cost more

// Access to the messages of a history by index: directly in a random-access range, else by a list of iterators.

namespace condense {
inline namespace v1 {
namespace detail {

// std::begin and std::end and those found by argument-dependent lookup, like a range-based for.
namespace ranges_access {
using std::begin;
using std::end;
constexpr auto begin_of(auto& range) -> decltype(begin(range)) { return begin(range); }
constexpr auto end_of(auto& range) -> decltype(end(range)) { return end(range); }
}  // namespace ranges_access

/// A range of messages that may be read more than once.
template <class Range>
concept history = requires(Range& range) {
    { ranges_access::begin_of(range) } -> std::forward_iterator;
    { ranges_access::begin_of(range) == ranges_access::end_of(range) } -> std::convertible_to<bool>;
};

/// The message type of a range.
template <class Range>
using element_of = std::remove_cvref_t<decltype(*ranges_access::begin_of(std::declval<Range&>()))>;

/// Refers to the range, which must outlive it and keep its elements. Costs nothing for a random-access range, else an
/// iterator for each element.
template <history Range>
class source {
public:
    using iterator = decltype(ranges_access::begin_of(std::declval<Range&>()));
    using message_type = std::remove_cvref_t<decltype(*std::declval<iterator&>())>;

    /// Reads no message; without random access it counts them.
    explicit constexpr source(Range& range) : begin_(ranges_access::begin_of(range)) {
        auto const end = ranges_access::end_of(range);
        if constexpr (direct) size_ = static_cast<std::size_t>(end - begin_);
        else
            for (auto it = begin_; it != end; ++it, static_cast<void>(++size_)) iterators_.push_back(it);
    }

    constexpr std::size_t size() const noexcept { return size_; }

    constexpr decltype(auto) operator[](std::size_t index) const {
        if constexpr (direct) return begin_[static_cast<std::iter_difference_t<iterator>>(index)];
        else return *iterators_[index];
    }

private:
    static constexpr bool direct = std::random_access_iterator<iterator>;
    iterator begin_;
    std::size_t size_ = 0;
    std::vector<iterator> iterators_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
