// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>
#include <utility>

// Calls a function when a scope is left, also by an exception: scope_exit const guard{[&] { busy = before; }}.

namespace condense {
inline namespace v1 {
namespace detail {

/// After `release()` the function is not called. It must not throw.
template <class F>
class scope_exit {
public:
    explicit constexpr scope_exit(F f) noexcept(std::is_nothrow_move_constructible_v<F>) : f_(std::move(f)) {}
    scope_exit(scope_exit const&) = delete;
    scope_exit& operator=(scope_exit const&) = delete;
    constexpr ~scope_exit() {
        if (armed_) f_();
    }
    constexpr void release() noexcept { armed_ = false; }

private:
    F f_;
    bool armed_ = true;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
