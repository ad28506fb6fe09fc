// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include <condense/detail/address.hpp>

// A reference to a callable whose type is hidden, for calls across a boundary of types.

namespace condense {
inline namespace v1 {
namespace detail {

/// A reference to a callable, which must outlive it. Two pointers; copying it allocates nothing.
template <class Signature>
class callable_ref;
template <class Result, class... Arguments>
class callable_ref<Result(Arguments...)> {
public:
    template <class Callable>
    explicit callable_ref(Callable const& target) noexcept
        : target_{detail::address_of(target)}, call_{[](void const* on, Arguments... arguments) -> Result {
              return (*static_cast<Callable const*>(on))(std::forward<Arguments>(arguments)...);
          }} {}
    Result operator()(Arguments... arguments) const { return call_(target_, std::forward<Arguments>(arguments)...); }

private:
    void const* target_;
    Result (*call_)(void const*, Arguments...);
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
