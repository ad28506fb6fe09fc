// SPDX-License-Identifier: BSL-1.0
#pragma once

// The address of a value whose type may overload `&`: std::addressof, without the cost of including <memory>.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Value>
constexpr Value* address_of(Value& value) noexcept {
    return __builtin_addressof(value);
}
template <class Value>
void address_of(Value const&&) = delete;

}  // namespace detail
}  // namespace v1
}  // namespace condense
