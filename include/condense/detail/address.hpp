// SPDX-License-Identifier: BSL-1.0
#pragma once

// The address of a value whose type may overload `&`: std::addressof, without the cost of including <memory>.

namespace condense {
inline namespace v1 {
namespace detail {

/// The address of an object; never calls an operator of its type.
template <class Value>
constexpr Value* address_of(Value& value) noexcept {
    return __builtin_addressof(value);
}
/// Refuses a temporary, whose address would dangle.
template <class Value>
void address_of(Value const&&) = delete;

}  // namespace detail
}  // namespace v1
}  // namespace condense
