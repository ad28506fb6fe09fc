// SPDX-License-Identifier: BSL-1.0

// Catch2 version 2 wants its main compiled once; version 3 brings it as a library.

#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
