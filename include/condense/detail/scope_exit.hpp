// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>
#include <utility>

// Calls a function when a scope is left, by an exception too, unless it was released: scope_exit undo{[&] { ... }}.

namespace condense {
inline namespace v1 {
namespace detail {

/// The function must not throw: the destructor is noexcept.
template <class Function>
class [[nodiscard]] scope_exit {
public:
    explicit constexpr scope_exit(Function at_exit) noexcept(std::is_nothrow_move_constructible_v<Function>)
        : at_exit_{std::move(at_exit)} {}
    scope_exit(scope_exit const&) = delete;
    scope_exit& operator=(scope_exit const&) = delete;
    constexpr ~scope_exit() {
        if (armed_) at_exit_();
    }

    /// Forgets the function: the scope has succeeded.
    constexpr void release() noexcept { armed_ = false; }

private:
    Function at_exit_;
    bool armed_ = true;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
