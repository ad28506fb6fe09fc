// SPDX-License-Identifier: BSL-1.0
#include <condense/store/memory.hpp>

#include <condense/testing/store_laws.hpp>

#include "support/violations.hpp"

TEST_CASE("memory_store: keeps the laws of stores") {
    CHECK(text_of(condense::testing::check_store_laws([](auto hash) { return condense::basic_memory_store{hash}; })) ==
          "");
}

TEST_CASE("the same content has the same name and is stored once", "[case-T60]") {
    condense::memory_store const store;
    auto const name = store.name("text");
    CHECK(name.text().size() == 24);
    CHECK(name == store.name("text"));
    CHECK_FALSE(store.put(name, "text"));
    CHECK_FALSE(store.put(name, "text"));
    CHECK(store.size() == 1);
    CHECK(store.get(name) == "text");
    CHECK(store.name("other text") != name);
    CHECK_FALSE(store.get(store.name("other text")).has_value());
}
