// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/catch.hpp"

/// Holds in a constant expression, and at run time, where sanitizers look on.
#define CHECK_CONSTANT(...)     \
    static_assert(__VA_ARGS__); \
    CHECK((__VA_ARGS__))
