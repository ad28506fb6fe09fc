// SPDX-License-Identifier: BSL-1.0
#pragma once

// Catch2 in either major version: some distributions have only the second. Its macros name test cases by __COUNTER__,
// which clang 22 and later call an extension.

#ifdef __clang__
#if __has_warning("-Wc2y-extensions")
#pragma clang diagnostic ignored "-Wc2y-extensions"
#endif
#endif

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // as in the second
#else
#include <catch2/catch.hpp>
#endif

/// Checks what holds when it is compiled, and once more as the program runs.
#define CHECK_TWICE(...)            \
    do {                            \
        static_assert(__VA_ARGS__); \
        CHECK(__VA_ARGS__);         \
    } while (false)
