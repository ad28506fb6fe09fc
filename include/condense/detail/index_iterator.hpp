// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>  // and the kinds of iterators: <iterator> adds those of streams, which cost more

#include <condense/detail/address.hpp>

// The iterator of a range whose elements an object gives by index: index_iterator<owner, &owner::at>.

namespace condense {
inline namespace v1 {
namespace detail {

/// `At` is a const member function of Owner that returns a reference. Refers to the owner, not to the range it is of.
/// Iterators of two owners are not to be compared.
template <class Owner, auto At>
class index_iterator {
public:
    using reference = decltype((std::declval<Owner const&>().*At)(std::size_t{}));
    using value_type = std::remove_cvref_t<reference>;
    using difference_type = std::ptrdiff_t;
    using pointer = std::remove_reference_t<reference>*;
    using iterator_category = std::forward_iterator_tag;

    index_iterator() = default;
    constexpr index_iterator(Owner const& owner, std::size_t index) noexcept
        : owner_{detail::address_of(owner)}, index_{index} {}
    constexpr reference operator*() const { return (owner_->*At)(index_); }
    constexpr pointer operator->() const { return detail::address_of(**this); }
    constexpr index_iterator& operator++() noexcept {
        ++index_;
        return *this;
    }
    constexpr index_iterator operator++(int) noexcept { return {*owner_, index_++}; }
    friend constexpr bool operator==(index_iterator const& left, index_iterator const& right) noexcept {
        return left.index_ == right.index_;
    }

private:
    Owner const* owner_ = nullptr;
    std::size_t index_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
