// SPDX-License-Identifier: BSL-1.0

// The store edge brings its package with it, in header-only mode: nothing is linked.

#include <condense/store/memory.hpp>

int main() {
    condense::basic_memory_store<> const store{};
    auto const name = store.name("kept");
    return !store.put(name, "kept") && store.get(name) == "kept" ? 0 : 1;
}
