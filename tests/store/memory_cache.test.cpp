// SPDX-License-Identifier: BSL-1.0
#include <condense/store/memory_cache.hpp>

#include "store/cache_laws.hpp"

using cache_tests::key_of, cache_tests::test_clock;
using condense::basic_memory_cache, condense::memory_cache;

TEST_CASE("memory_cache: the laws of caches") {
    cache_tests::check_laws(
        [](condense::cache_limits limits, test_clock clock) { return basic_memory_cache{limits, clock}; });
}

TEST_CASE("memory_cache: what was used last stays") {
    memory_cache const cache{{.entries = 2}};
    CHECK_FALSE(cache.put(key_of(0), "a", 0));
    CHECK_FALSE(cache.put(key_of(1), "b", 0));
    CHECK(cache.get(key_of(0)) == "a");
    CHECK_FALSE(cache.put(key_of(2), "c", 0));
    CHECK(cache.get(key_of(0)) == "a");
    CHECK_FALSE(cache.get(key_of(1)));
    CHECK(cache.size() == 2);
}

TEST_CASE("memory_cache: what is over its time leaves the memory when it is asked for") {
    test_clock const clock;
    basic_memory_cache const cache{{}, clock};
    CHECK_FALSE(cache.put(key_of(0), "a", 1));
    *clock.now += 1;
    CHECK(cache.size() == 1);
    CHECK_FALSE(cache.get(key_of(0)));
    CHECK(cache.size() == 0);
}

TEST_CASE("memory_cache: threads share it") {
    memory_cache const cache{{.entries = 8}};
    cache_tests::threads_share(cache, 2'000);
    CHECK(cache.size() <= 8);
}
