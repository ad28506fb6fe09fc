// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <thread>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/store/memory_cache.hpp>

#include "support/catch.hpp"

// What every cache of texts does, whatever it keeps them in.

namespace cache_tests {

/// Seconds that a test sets; copies show the same.
struct test_clock {
    std::shared_ptr<std::uint64_t> now = std::make_shared<std::uint64_t>(1'000);
    std::uint64_t operator()() const { return *now; }
};

inline condense::cache_key key_of(std::uint64_t number) {
    condense::cache_key key = {};
    key[0] = static_cast<std::uint8_t>(number);
    key[31] = static_cast<std::uint8_t>(number >> 8);
    return key;
}

/// Of one that is empty.
void check_texts(condense::text_cache auto const& cache) {
    std::string const bytes("a\0\xFF'\r\n", 6);
    auto const copy = cache;
    CHECK_FALSE(cache.get(key_of(0)));
    CHECK_FALSE(cache.put(key_of(0), "first", 0));
    CHECK_FALSE(cache.put(key_of(1), bytes, 0));
    CHECK(copy.get(key_of(0)) == "first");
    CHECK(copy.get(key_of(1)) == bytes);
    CHECK_FALSE(copy.put(key_of(0), "second", 0));
    CHECK(cache.get(key_of(0)) == "second");
    CHECK_FALSE(cache.get(key_of(256)));

    std::string const longest(condense::most_cached_bytes, 'a');
    CHECK_FALSE(cache.put(key_of(0), longest, 0));
    CHECK(cache.get(key_of(0)) == longest);
    CHECK(cache.put(key_of(0), longest + "a", 0));
    CHECK(cache.get(key_of(0)) == longest);
}

/// `make(limits, clock)`: an empty cache.
void check_laws(auto&& make) {
    check_texts(make(condense::cache_limits{}, test_clock{}));
    {
        test_clock const clock;
        auto const cache = make(condense::cache_limits{}, clock);
        CHECK_FALSE(cache.put(key_of(0), "short", 10));
        CHECK_FALSE(cache.put(key_of(1), "for ever", 0));
        CHECK_FALSE(cache.put(key_of(2), "as good as for ever", ~std::uint64_t{0}));
        *clock.now += 9;
        CHECK(cache.get(key_of(0)) == "short");
        *clock.now += 1;
        CHECK_FALSE(cache.get(key_of(0)));
        CHECK_FALSE(cache.put(key_of(0), "again", 10));
        CHECK(cache.get(key_of(0)) == "again");
        *clock.now += 1'000'000'000;
        CHECK(cache.get(key_of(1)) == "for ever");
        CHECK(cache.get(key_of(2)) == "as good as for ever");
    }
    {
        auto const cache = make(condense::cache_limits{.entries = 3}, test_clock{});
        for (std::uint64_t number = 0; number < 5; ++number) CHECK_FALSE(cache.put(key_of(number), "text", 0));
        for (std::uint64_t number = 0; number < 5; ++number)
            CHECK(cache.get(key_of(number)).has_value() == (number > 1));
    }
    {
        auto const cache = make(condense::cache_limits{.bytes = {10}}, test_clock{});
        CHECK_FALSE(cache.put(key_of(0), "12345", 0));
        CHECK_FALSE(cache.put(key_of(1), "12345", 0));
        CHECK(cache.get(key_of(0)));
        CHECK(cache.get(key_of(1)));
        CHECK_FALSE(cache.put(key_of(1), "1234", 0));  // the same, so that it counts once
        CHECK(cache.get(key_of(0)));
        CHECK(cache.get(key_of(1)));
        CHECK_FALSE(cache.put(key_of(2), "12", 0));
        CHECK_FALSE(cache.get(key_of(0)));
        CHECK(cache.get(key_of(1)) == "1234");
        CHECK(cache.get(key_of(2)) == "12");
        CHECK(cache.put(key_of(3), "12345678901", 0));  // more than it may hold, so that all others would go
        CHECK_FALSE(cache.get(key_of(3)));
        CHECK(cache.get(key_of(2)) == "12");
    }
}

/// Threads that share a cache get nothing but what was put under the key, for ever and for at most `seconds`. One that
/// waits for a server only for a moment may refuse some on a busy machine.
template <class Cache>
void threads_share(Cache const& cache, std::uint64_t rounds, std::uint64_t seconds = 1, bool may_refuse = false) {
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    std::vector<std::uint64_t> puts(4);
    std::vector<std::string> why(4);
    for (std::size_t number = 0; number < wrong.size(); ++number)
        threads.emplace_back([&, number, copy = cache] {
            for (std::uint64_t round = 0; round < rounds; ++round) {
                auto const which = (round * 7 + number) % 16;
                if (auto const text = copy.get(key_of(which)); text && *text != std::to_string(which)) {
                    ++wrong[number];
                    why[number] = "got " + *text;
                }
                auto const problem = copy.put(key_of(which), std::to_string(which), round % (seconds + 1));
                if (problem && !may_refuse) {
                    ++wrong[number];
                    why[number] = problem.reason;
                } else if (!problem) ++puts[number];
            }
        });
    for (auto& thread : threads) thread.join();
    CAPTURE(why);
    CHECK(wrong == std::vector<int>(4));
    for (auto const count : puts) CHECK(count > rounds / 2);
}

}  // namespace cache_tests
