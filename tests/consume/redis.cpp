// SPDX-License-Identifier: BSL-1.0

// The Redis edge brings hiredis with it, which has no CMake target of its own everywhere.

#include <condense/store/redis_store.hpp>

int main() {
    condense::redis_store const store{{.prefix = "*"}};
    return store.put(store.name("text"), "text") ? 0 : 1;
}
