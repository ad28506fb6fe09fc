// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <exception>
#include <type_traits>

// The defaults of slots whose type is deduced, written so that every question about a layer has an
// answer: holding one in a tuple or an optional never asks for a default that a slot's type lacks.

namespace condense {
inline namespace v1 {
namespace detail {

/// Converts to whatever a slot was given. Only a layer made without a slot that has no default, as
/// by a tuple's default constructor, comes to that, and it is the end of the program.
struct unset {
    template <class Any>
    [[noreturn]] operator Any() const {
        std::terminate();
    }

    friend constexpr bool operator==(unset, unset) noexcept { return true; }
};

/// The slot's default: `given` where the slot has that type, else its type's own, if it has one.
template <class Slot, class Given = unset>
constexpr Slot slot_default(Given const& given = {}) {
    // Else a default that was given for the slot would be left out in favour of its type's own.
    static_assert(!std::is_const_v<Slot>,
                  "condense: slot: its type must be without const, which decltype of a constant has (see slots)");
    if constexpr (std::same_as<Slot, Given>) return given;
    else if constexpr (std::default_initializable<Slot>) return Slot();
    else return unset{};
}

}  // namespace detail

using detail::slot_default;
using detail::unset;

}  // namespace v1
}  // namespace condense
