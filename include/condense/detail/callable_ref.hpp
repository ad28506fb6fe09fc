// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <condense/detail/address.hpp>

// A reference to a callable whose type is hidden, for calls across a boundary of types.

namespace condense {
inline namespace v1 {
namespace detail {

/// A reference to a callable, which must outlive it: a parameter for callbacks, so that a function is compiled once and
/// not for each of them. Two pointers; copying it allocates nothing.
template <class Signature>
class callable_ref;
template <class Result, class... Arguments>
class callable_ref<Result(Arguments...)> {
public:
    template <class Callable>
        requires(!std::is_same_v<std::remove_cvref_t<Callable>, callable_ref> &&
                 std::is_invocable_r_v<Result, std::remove_reference_t<Callable>&, Arguments...>)
    callable_ref(Callable&& target) noexcept
        : target_{hidden(target)}, call_{[](void* on, Arguments... arguments) -> Result {
              return static_cast<Result>(
                  (*shown<std::remove_reference_t<Callable>>(on))(std::forward<Arguments>(arguments)...));
          }} {}
    Result operator()(Arguments... arguments) const { return call_(target_, std::forward<Arguments>(arguments)...); }

private:
    template <class Callable>
    static void* hidden(Callable& target) noexcept {
        if constexpr (std::is_function_v<Callable>) return reinterpret_cast<void*>(&target);
        else return const_cast<void*>(static_cast<void const volatile*>(detail::address_of(target)));
    }
    template <class Callable>
    static Callable* shown(void* on) noexcept {
        if constexpr (std::is_function_v<Callable>) return reinterpret_cast<Callable*>(on);
        else return static_cast<Callable*>(on);
    }

    void* target_;
    Result (*call_)(void*, Arguments...);
};

/// Orders indices. All sorts by one are one function, where each lambda would have a copy of it.
using index_order = callable_ref<bool(std::size_t left, std::size_t right)>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
