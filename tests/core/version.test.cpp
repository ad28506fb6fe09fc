// SPDX-License-Identifier: BSL-1.0
#include <condense/version.hpp>

#include <string>

#include "support/catch.hpp"

#if CONDENSE_VERSION < 10000
#error "CONDENSE_VERSION is no number that the preprocessor compares"
#endif

TEST_CASE("version: the string, the number and its three parts agree") {
    CHECK(CONDENSE_VERSION_STRING == std::to_string(CONDENSE_VERSION / 10000) + '.' +
                                         std::to_string(CONDENSE_VERSION / 100 % 100) + '.' +
                                         std::to_string(CONDENSE_VERSION % 100));
    CHECK(CONDENSE_VERSION / 10000 == CONDENSE_VERSION_MAJOR);
    CHECK(CONDENSE_VERSION / 100 % 100 == CONDENSE_VERSION_MINOR);
    CHECK(CONDENSE_VERSION % 100 == CONDENSE_VERSION_PATCH);
}
