// SPDX-License-Identifier: BSL-1.0

// The version that the build system has seen is that of the header.

#include <string_view>

#include <condense/version.hpp>

int main() { return CONDENSE_VERSION_STRING == std::string_view{CONDENSE_PACKAGE_VERSION} ? 0 : 1; }
