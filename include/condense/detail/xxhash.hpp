// SPDX-License-Identifier: BSL-1.0
#pragma once

// xxHash in header-only mode. The inline hints are left out with g++: version 0.8.3 forces functions inline that it
// calls through pointers, which g++ refuses at -Og, and without the hints g++ inlines the same from -O2 on.

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#if defined(__GNUC__) && !defined(__clang__) && !defined(XXH_NO_INLINE_HINTS)
#define XXH_NO_INLINE_HINTS 1
#endif
#include <xxhash.h>
