// SPDX-License-Identifier: BSL-1.0
#pragma once

// Catch2 in either major version: some distributions have only the second.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
