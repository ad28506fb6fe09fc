// SPDX-License-Identifier: BSL-1.0
#include <condense/store/memory.hpp>

#include "store/artifact_store_conformance.hpp"
#include "support/catch.hpp"

namespace {

constexpr auto make = [](auto hash) { return condense::basic_memory_store{hash}; };

}  // namespace

TEST_CASE("memory_store: gives back what it was given") {
    store_tests::artifact_store_gives_back_what_it_was_given(make);
}
TEST_CASE("memory_store: never overwrites") { store_tests::artifact_store_never_overwrites(make); }
TEST_CASE("memory_store: lists and erases") { store_tests::artifact_store_lists_and_erases(make); }
TEST_CASE("memory_store: is for threads") { store_tests::artifact_store_is_for_threads(make); }

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
