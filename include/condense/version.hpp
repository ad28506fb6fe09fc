// SPDX-License-Identifier: BSL-1.0
#pragma once

// The version of the library; CMake, the packages and the single header read it here. CONDENSE_VERSION is one number
// to compare: 10000 * major + 100 * minor + patch.

#define CONDENSE_VERSION_MAJOR 1
#define CONDENSE_VERSION_MINOR 0
#define CONDENSE_VERSION_PATCH 0
#define CONDENSE_VERSION (10000 * CONDENSE_VERSION_MAJOR + 100 * CONDENSE_VERSION_MINOR + CONDENSE_VERSION_PATCH)
#define CONDENSE_VERSION_STRING "1.0.0"
