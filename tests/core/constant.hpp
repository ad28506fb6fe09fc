// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "support/catch.hpp"

/// Holds in a constant expression, and at run time, where sanitizers look on.
#define CHECK_CONSTANT(...)     \
    static_assert(__VA_ARGS__); \
    CHECK((__VA_ARGS__))

/// Both ends, and the places where 32 and 64 bits are not enough.
inline constexpr std::uint64_t figures_of_any_size[] = {0, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                                        std::uint64_t{1} << 63, ~std::uint64_t{0}};
