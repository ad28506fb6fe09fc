// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <exception>
#include <type_traits>

// Defaults of slots (members of a layer whose type is deduced), so that a layer is complete for every trait: holding
// one in a tuple or an optional never needs a default that a slot's type lacks.

namespace condense {
inline namespace v1 {
namespace detail {

/// Stands for the default of a slot whose type has none, and converts to that type. The conversion is reached only when
/// a layer is created without such a slot, as by a tuple's default constructor; it terminates the program.
struct unset {
    template <class Any>
    [[noreturn]] operator Any() const {
        std::terminate();
    }

    friend constexpr bool operator==(unset, unset) noexcept { return true; }
};

/// The default of a slot: `given` if the slot has its type, else a default-constructed value, else `unset`.
template <class Slot, class Given = unset>
constexpr Slot slot_default(Given const& given = {}) {
    // A const slot would not have the type of `given`, and silently get the default of its type instead.
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
