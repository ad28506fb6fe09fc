// SPDX-License-Identifier: BSL-1.0
#include <condense/store/memory.hpp>

#include <condense/testing/store_laws.hpp>

#include "support/violations.hpp"

TEST_CASE("memory_store: keeps the laws of stores") {
    CHECK(text_of(condense::testing::check_store_laws([](auto hash) { return condense::basic_memory_store{hash}; })) ==
          "");
}
