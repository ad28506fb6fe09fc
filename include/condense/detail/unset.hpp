// SPDX-License-Identifier: BSL-1.0
#pragma once

// The default of a slot whose type is deduced. It converts to whatever the slot was given, so that
// holding a layer in a tuple or an optional never asks for a default constructor the type lacks.

namespace condense {
inline namespace v1 {
namespace detail {

struct unset {
    template <class Any>
    operator Any() const;  // never called: it only makes `Any slot = unset{}` well formed

    friend constexpr bool operator==(unset, unset) noexcept { return true; }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
