// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

// Ends an example that does not do what it says.
inline void check(bool holds, std::source_location const at = std::source_location::current()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%u: the example does not do what it says\n", at.file_name(),
                 static_cast<unsigned>(at.line()));
    std::exit(1);
}
