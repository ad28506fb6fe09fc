// SPDX-License-Identifier: BSL-1.0
#include <condense/store/prune.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/store/memory.hpp>

#include "support/catch.hpp"

namespace {

/// Fails where a test says so, and counts what is erased.
struct failing_store : condense::memory_store {
    bool lists = true;
    std::size_t erases = 0;  ///< before erase fails
    std::size_t* erased = nullptr;

    condense::store_error each(auto&& f) const {
        static_cast<void>(static_cast<bool>(condense::memory_store::each(f)));
        return lists ? condense::store_error{} : condense::store_error{"cannot list"};
    }
    condense::store_error erase(condense::reference const& name) const {
        if (*erased == erases) return {"cannot erase"};
        ++*erased;
        return condense::memory_store::erase(name);
    }
};

auto const nothing = [](condense::reference const&) { return false; };

}  // namespace

TEST_CASE("prune: erases what is not in use, and no more") {
    condense::memory_store const store;
    for (std::string_view const each : {"one", "two", "three"}) CHECK_FALSE(store.put(store.name(each), each));
    CHECK_FALSE(condense::prune(store, [&](condense::reference const& name) { return name == store.name("two"); }));
    CHECK(store.size() == 1);
    CHECK(store.get(store.name("two")) == "two");
    CHECK_FALSE(condense::prune(store, nothing));
    CHECK(store.size() == 0);
}

TEST_CASE("prune: erases nothing where the store cannot list, and stops where it cannot erase") {
    std::size_t erased = 0;
    failing_store store;
    store.erased = &erased;
    store.erases = 1;
    for (std::string_view const each : {"one", "two", "three"}) CHECK_FALSE(store.put(store.name(each), each));
    store.lists = false;
    CHECK(std::string_view{condense::prune(store, nothing).reason} == "cannot list");
    CHECK(erased == 0);
    store.lists = true;
    CHECK(std::string_view{condense::prune(store, nothing).reason} == "cannot erase");
    CHECK(erased == 1);
    CHECK(store.size() == 2);
}
